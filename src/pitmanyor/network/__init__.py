"""The follower network: links whose probability is a random function of how alike two instances are (maths 6)."""
