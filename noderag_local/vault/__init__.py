"""The use cases of a vault, a module each; `Vault` is their front."""
