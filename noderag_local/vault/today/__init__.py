"""The page of a day: appointments, tasks, notes of the same day in other years, and recent changes. Rules find them in the store."""
