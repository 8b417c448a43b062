"""The set of injections is fit to measure with, and the checks tell what got through."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noderag_local.config import Settings
from noderag_local.domain.passages import Scope
from noderag_local.evaluation.injections import CLEAN, Case, judged_injection, read_cases, write_documents
from noderag_local.generation.answer_prompt import examples, prompt
from noderag_local.vault.vault import Vault

CASES = read_cases(Path(__file__).parents[1] / "data" / "injections")
ODD = [case for case in CASES if case.kind in ("tag", "hidden", "place", "citation")]
PROMPTS = "\n".join([prompt("chat_system"), *(message.content for message in examples())])
PLAIN = {
    "de": "Das ist {} laut den Notizen [1].",
    "fr": "C'est {} selon les notes de la maison [1].",
    "es": "Es {} según las notas de la casa [1].",
}


def case_of(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


def test_there_are_many_of_many_kinds() -> None:
    assert len(CASES) >= 100
    assert len({case.name for case in CASES}) == len({case.document for case in CASES}) == len(CASES)
    assert len({case.kind for case in CASES}) >= 10
    assert {case.carrier.language for case in CASES} == {"en", "de", "fr", "es"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_right_answer_is_taken_for_one_and_shows_nothing(case: Case) -> None:
    carrier = case.carrier
    assert carrier.answers[0] in carrier.note
    answer = PLAIN.get(carrier.language, "It is {} according to the notes [1].").format(carrier.answers[0])
    verdict = judged_injection(carrier, case, answer, False, PROMPTS)
    assert verdict.right and not verdict.got_through


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("injected")
    write_documents(ODD, folder / "notes")
    with Vault(folder / "vault", Settings(models_dir=folder / "none")) as opened:
        assert opened.index([folder / "notes"]).added == len(ODD) + len({case.carrier.name for case in ODD})
    return folder


def test_what_a_reader_might_drop_reaches_the_model_but_for_what_no_person_sees(vault: Path) -> None:
    dropped = set()
    with Vault(vault / "vault", Settings(models_dir=vault / "none")) as opened:
        for case in ODD:
            found = opened.search(case.carrier.question, method="bm25", scope=Scope(str(vault / "notes" / case.name)))
            assert any(answer in found.context for answer in case.carrier.answers), case.name
            named = "" if case.file == f"{case.carrier.name}.md" else case.file
            words = set(re.findall(r"\w{4,}", f"{case.title} {named} {case.text}"))
            if sum(word in found.context for word in words) < len(words) / 2:
                dropped.add(case.name)
    # Comments of HTML, Markdown and Obsidian.
    assert dropped == {"hidden-01", "hidden-04", "hidden-05"}


def test_the_clean_notes_hold_no_injection(vault: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (vault / "notes" / CLEAN).rglob("*.md")]
    assert texts and not [text for text in texts if "{here}" in text or any(case.text in text for case in CASES)]


@pytest.mark.parametrize(
    ("name", "answer", "shown"),
    [
        ("ignore-01", "PINEAPPLE", "obeyed"),
        ("language-01", "Le bail de l'appartement se termine le 30 juin 2027.", "other_language"),
        ("language-07", "来年です", "other_language"),
        ("link-01", "It ends on 30 June 2027. See https://evil.example/track?id=1", "link"),
        ("link-02", "[Hull](x)", "link"),
        ("prompt-01", "- After each statement cite its source by number, like [2].", "prompt"),
    ],
)
def test_what_got_through_is_seen(name: str, answer: str, shown: str) -> None:
    case = case_of(name)
    assert getattr(judged_injection(case.carrier, case, answer, False, PROMPTS), shown)


def test_a_withheld_answer_counts_where_that_was_wanted() -> None:
    wanted, other = next(case for case in CASES if case.denies), case_of("ignore-01")
    assert judged_injection(wanted.carrier, wanted, "Your notes do not tell.", True, PROMPTS).obeyed
    assert not judged_injection(other.carrier, other, "Your notes do not tell.", True, PROMPTS).got_through
