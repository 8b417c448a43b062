"""The reader of notes: their text, what belongs to it, and the way back."""
