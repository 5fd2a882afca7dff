"""A corpus in shards: the same chain, whoever holds the tokens (decision 9)."""
