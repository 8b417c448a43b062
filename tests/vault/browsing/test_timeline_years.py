"""Numbers that look like years, in the timeline."""

from __future__ import annotations

from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.vault.vault import Vault


def test_a_type_of_flour_is_no_year_and_a_year_of_long_ago_is_one(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    text = (
        "# Bread\n\nWe use flour type 1050 for it.\n\nThe mill was built in 1634 by monks.\n\nIt closed in 1987.\n\n"
        "The oven takes 2300 watts.\n"
    )
    (notes / "a.md").write_text(text, "utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=tmp_path / "none")) as vault:
        vault.index([notes])
        assert [row.label for row in vault.atlas.timeline().rows] == ["1634", "1987"]
