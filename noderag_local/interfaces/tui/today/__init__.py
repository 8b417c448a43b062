"""The screen with which a day begins: appointments, open tasks, this day in other years, and what changed lately."""
