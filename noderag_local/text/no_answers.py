"""Words that alone are the answer "no", as people write it behind a label: "Visa needed: no"."""

from __future__ import annotations

NO_ANSWERS = frozenset("no none nein kein keine non aucun aucune ninguno ninguna ningún nee geen".split())
"""In English, German, French, Spanish and Dutch together: of so short a line one cannot tell its language."""
