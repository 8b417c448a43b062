"""The real model puts involved questions into plain words, and the notes are computed with."""

from __future__ import annotations

from pathlib import Path

from noderag_local.config import load_settings
from noderag_local.generation.computed_answers import COMPUTED
from noderag_local.generation.plain_question import in_plain_words, prime
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.vault.vault import Vault

OCCASIONS = "On how many occasions altogether, during May 2026, did I engage in rowing?"


def test_the_model_says_it_plainly(engine: LlamaEngine) -> None:
    prime(engine)
    plain = in_plain_words(engine, OCCASIONS)
    said = plain.text.casefold()
    assert "row" in said and "may 2026" in said and "occasions" not in said, plain.text
    # The instructions were read before.
    assert plain.llm_tokens < 100


def test_an_involved_question_is_computed(model_file: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for day in ("2026-05-02", "2026-05-16", "2026-06-01"):
        (tmp_path / "notes" / f"{day}.md").write_text(f"# {day}\n\nWent rowing on the lake.\n", encoding="utf-8")
    with Vault(tmp_path / "vault", load_settings(models_dir=model_file.parent)) as vault:
        vault.index([tmp_path / "notes"])
        answer = vault.ask(OCCASIONS).finish()
    assert "2 times" in answer.text and answer.retrieval.method == COMPUTED
    assert answer.asked_as and answer.asked_as != OCCASIONS
