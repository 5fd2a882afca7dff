"""New documents as clusters of tokens whose topics are summed out."""
