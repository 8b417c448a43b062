"""What a day has: appointments, tasks, notes of the same day in other years, and what changed lately; by rule, from the store alone."""
