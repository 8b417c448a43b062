"""Files that only their owner can read; writing them safely to the disk, and overwriting them."""
