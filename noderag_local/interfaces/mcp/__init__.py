"""The server of the Model Context Protocol over standard input and output; it only reads."""
