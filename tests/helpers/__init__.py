"""What tests of several folders share: small notes and vaults, tiny models, servers that answer as they are told to."""
