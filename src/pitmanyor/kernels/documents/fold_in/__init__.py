"""New documents over fixed vectors: every sweep of a document before the next document (maths 7)."""
