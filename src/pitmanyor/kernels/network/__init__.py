"""Kernels of the follower network: masses of linked nodes, similarities, pairs (maths 6)."""
