"""Any nodes per document on the topic side and none on the word side: the TNTM."""
