"""Runs the same work over many batches: in this process, or by Ray on all cores of a machine or on a cluster."""
