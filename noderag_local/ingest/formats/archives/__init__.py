"""Archives, whose files are documents of their own."""
