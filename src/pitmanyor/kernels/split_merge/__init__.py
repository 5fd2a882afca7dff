"""Moves that split and merge whole topics (maths 4, split and merge)."""
