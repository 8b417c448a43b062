"""Where a line break ends a statement, and where it only wraps prose."""

from __future__ import annotations

import pytest

from noderag_local.ingest.formats.text.line_breaks import statement_ends


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        (["pilates early, hard class", "Lunch with Ignacio downtown."], [True]),
        (["Bought a rope, a lamp and a", "map for the trip."], [False]),
        (["dishwasher, 3 years old,", "Bosch"], [False]),
        (["paid the plumber", "80 euros in cash"], [False]),
        (["流感疫苗 每年10月", "水痘第二针 已打"], [False]),
        (
            ["The mill stands at the end of the long road that", "Ana took on Sunday, and nobody has lived in it."],
            [False],
        ),
    ],
    ids=[
        "short lines",
        "goes on in small letters",
        "goes on after a comma",
        "goes on with a number",
        "Chinese",
        "wide",
    ],
)
def test_lines_too_short_to_be_wrapped_are_statements(lines: list[str], ends: list[bool]) -> None:
    assert statement_ends(lines) == ends
