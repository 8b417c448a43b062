"""Letters, mailboxes and calendars."""
