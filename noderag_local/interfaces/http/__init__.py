"""The server for other programs on this machine, over HTTP on a Unix socket or on loopback; it only reads."""
