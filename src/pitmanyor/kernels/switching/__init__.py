"""Between counts and explicit vectors of the shared nodes: down to vectors, up to counts (maths 4)."""
