"""The real model does not pass off what stands beside a name as the answer, in any language."""

from __future__ import annotations

from pathlib import Path

import pytest

from noderag_local.config import load_settings
from noderag_local.generation.answer_check import check_request
from noderag_local.generation.answer_verification import LEAST_SCORE
from noderag_local.generation.semantic_filter import YES_NO, difference
from noderag_local.models.llm.llamacpp.llama import LlamaEngine
from noderag_local.vault.vault import Vault


@pytest.mark.parametrize(
    ("passage", "question", "right", "beside"),
    [
        ("Mona Brückner: Fährt einen alten Volvo. Hat eine Schwester, Lena.", "Welches Auto hat Mona Brückner?", "Mona Brückner fährt einen alten Volvo.", "Mona Brückner hat eine Schwester, Lena."),
        ("Pablo Sanz: Es de Tarifa, habla árabe. Toca el trombón.", "¿Qué idioma sabe Pablo Sanz?", "Pablo Sanz habla árabe.", "Pablo Sanz es de Tarifa."),
    ],
)  # fmt: skip
def test_the_check_tells_a_right_answer_in_other_words_from_one_beside_the_point(
    engine: LlamaEngine, passage: str, question: str, right: str, beside: str
) -> None:
    def score(answer: str) -> float:
        return difference(*engine.likelihoods(check_request(passage, question, answer), YES_NO).weights)

    assert score(right) > LEAST_SCORE > score(beside)


def test_the_answer_to_what_the_notes_do_not_tell_is_held_back(model_file: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Mona Brückner.md").write_text(
        "# Mona Brückner\n\nWohnt in Fulda. Fährt einen alten Volvo. Hat eine Schwester, Lena.\n", encoding="utf-8"
    )
    with Vault(tmp_path / "vault", load_settings(models_dir=model_file.parent)) as vault:
        vault.index([notes])
        untold = vault.ask("Welche Schuhgröße hat Mona Brückner?").finish()
        told = vault.ask("Welches Auto hat Mona Brückner?").finish()
    assert untold.abstained, untold.text
    assert "Volvo" in told.text and not told.abstained
