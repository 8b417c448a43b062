"""Lists, dialogs and helpers that several screens use."""
