"""Converts public data sets of questions into the files that `noderag eval` and `noderag judge` read."""
