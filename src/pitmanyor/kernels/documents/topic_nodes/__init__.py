"""Any nodes per document on the topic side, with words from shared nodes or of the document's own: the TNTM."""
