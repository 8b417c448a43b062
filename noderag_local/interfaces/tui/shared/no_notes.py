"""What every screen says while the vault has no notes."""

NO_NOTES = "Nothing was indexed yet: f3, then a, adds a folder."
