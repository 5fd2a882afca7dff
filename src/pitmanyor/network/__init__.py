"""Links whose probability is a random function of the similarity of two instances (maths 6)."""
