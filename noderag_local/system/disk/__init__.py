"""Files that only their owner may read, what reaches the disk, and what is wiped from it."""
