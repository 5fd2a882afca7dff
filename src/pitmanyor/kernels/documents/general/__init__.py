"""Any graph: the reference that the other shapes are checked against."""
