"""A question about a table, from the vault to the answer, with an engine whose queries are known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.note_files import written_notes
from helpers.scripted_model import ScriptedModel

from noderag_local.config import load_settings
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.vault.vault import Vault

NOTES = {
    "house/costs.csv": "item,who,eur\nsink,Yassin,90\ntiles,Colora,210\nboiler,Yassin,ask him\npump,Yassin,60\ntaps,Colora,30\nlamp,Colora,20\n",
    "diary.md": "Yassin came late and drank four coffees.\n",
}
QUESTION = "what is the part of Yassin in our costs?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("tables")
    with Vault(place / "vault", load_settings(models_dir=place / "no-models")) as vault:
        vault.index([written_notes(place / "notes", NOTES)])
    yield place / "vault"


def vault_of(folder: Path, engine: ScriptedEngine) -> Vault:
    return Vault(folder, load_settings(models_dir=folder / "no-models"), ScriptedModel(engine))


def test_the_result_is_the_answer_with_its_rows_and_what_was_left_out(folder: Path) -> None:
    engine = ScriptedEngine("SELECT SUM(eur) FROM costs WHERE who LIKE '%Yassin%'")
    with vault_of(folder, engine) as vault:
        answer = vault.ask(QUESTION).finish()
    assert answer.text == "150 EUR (sum of eur) [1][2][3]"
    assert [source.first_line for source in answer.retrieval.sources] == [2, 4, 5]
    assert "1 cell of eur" in answer.note and "SELECT SUM(eur)" in answer.note
    assert (answer.model, len(engine.history)) == ("scripted", 1)
    assert engine.history[0].is_aside


def test_where_the_table_does_not_tell_the_passages_are_read(folder: Path) -> None:
    engine = ScriptedEngine("NONE", "Yassin drank four coffees [1].")
    with vault_of(folder, engine) as vault:
        answer = vault.ask(QUESTION).finish()
    assert answer.text.startswith("Yassin drank four coffees")
    assert len(engine.history) == 2
    assert answer.filter_tokens > 0, "the query cost something, too"


def test_another_method_and_a_short_answer_ask_no_table(folder: Path) -> None:
    for asked in ({"method": "bm25"}, {"short": True}):
        engine = ScriptedEngine(reply=lambda _: "Yassin")
        with vault_of(folder, engine) as vault:
            vault.ask(QUESTION, **asked).finish()  # type: ignore[arg-type]
        assert not any(request.is_aside for request in engine.history)
