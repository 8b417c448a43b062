"""The disk below everything else: files that are made for their owner alone, what reaches the disk, and what is taken from it."""
