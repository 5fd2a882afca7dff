"""One node per document over one base, and word nodes per document and topic: bursty models."""
