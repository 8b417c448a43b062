"""What the program can read: a module for each format, grouped by kind."""
