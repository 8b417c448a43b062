"""The use cases of a vault, one module each; the class `Vault` gives access to all of them."""
