"""The screen Today: appointments, open tasks, this day in other years, and recent changes."""
