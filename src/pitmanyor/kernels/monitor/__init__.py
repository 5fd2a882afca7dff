"""What is measured of a state: the log joint, sizes of restaurants, counts of documents read back."""
