"""The recipes of CONTRIBUTING.md and the addresses of SECURITY.md name files that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_every_path_that_is_named_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:noderag_local|tests|scripts)/[\w./-]*[\w/]", text))
    assert len(named) > 1
    assert [path for path in sorted(named) if "NAME" not in path and not (ROOT / path).exists()] == []
