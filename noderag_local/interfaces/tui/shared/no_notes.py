"""The sentence that every screen shows while the vault has no notes."""

NO_NOTES = "Nothing was indexed yet: press f3, then a, to add a folder."
