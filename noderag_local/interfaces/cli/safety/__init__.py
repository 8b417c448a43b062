"""Commands that back up, restore, encrypt and move a vault."""
