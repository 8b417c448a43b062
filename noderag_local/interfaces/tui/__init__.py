"""The terminal interface: it shows what the vault tells, and asks it to do things."""
