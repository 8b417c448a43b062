"""The layout of a suite: which files are corpora, and which questions are asked of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.suite.suite_folder import Measure, read_suite

ANSWERED = {"id": "1", "question": "Who?", "answer": "Ann"}
WITH_FILES = {"id": "2", "question": "Who?", "answer": "Ann", "sources": ["ann.md"]}
WITH_EVIDENCE = {"id": "3", "question": "Who?", "answer": "Ann", "evidence": ["Ann did it."]}
UNANSWERABLE = {"id": "4", "question": "Who?", "answer": ""}


def write(path: Path, *questions: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(questions) if path.suffix == ".json" else "Ann did it.\n", encoding="utf-8")


def test_every_form_of_a_corpus_is_found_with_its_questions(tmp_path: Path) -> None:
    write(tmp_path / "lines" / "corpus.txt")
    write(tmp_path / "lines" / "qa-dev.json", ANSWERED)
    write(tmp_path / "records" / "corpus.jsonl")
    write(tmp_path / "records" / "qa.json", WITH_EVIDENCE, ANSWERED)
    write(tmp_path / "life" / "notes" / "ann.md")
    write(tmp_path / "life" / "questions.json", WITH_FILES, ANSWERED, UNANSWERABLE)
    write(tmp_path / "README.md")
    suite = read_suite(tmp_path)
    assert [(one.name, one.path.name, one.by_lines) for one in suite.corpora] == [
        ("life", "notes", False),
        ("lines", "corpus.txt", True),
        ("records", "corpus.jsonl", False),
    ]
    asked = [(each.name, each.measure, len(each.questions)) for one in suite.corpora for each in one.asked]
    assert asked == [("life", Measure.FILES, 1), ("lines", Measure.COVERAGE, 1), ("records", Measure.RECALL, 1)]
    assert suite.left_out == ()


def test_questions_in_other_languages_are_asked_of_the_english_corpus(tmp_path: Path) -> None:
    for language in ("de", "en"):
        write(tmp_path / "wiki" / language / "corpus.jsonl")
        write(tmp_path / "wiki" / language / "qa.json", ANSWERED)
    write(tmp_path / "wiki" / "cross-de.json", ANSWERED)
    write(tmp_path / "other" / "cross-de.json", ANSWERED)
    suite = read_suite(tmp_path)
    assert {one.name: [each.name for each in one.asked] for one in suite.corpora} == {
        "wiki/de": ["wiki/de"],
        "wiki/en": ["wiki/en", "wiki/cross-de"],
    }
    assert suite.left_out == (
        f"{tmp_path / 'other' / 'cross-de.json'} is left out: there is no corpus named en beside it.",
    )


def test_several_files_of_questions_are_told_apart_and_a_corpus_alone_is_a_suite(tmp_path: Path) -> None:
    write(tmp_path / "talks" / "corpus.txt")
    write(tmp_path / "talks" / "qa-a.json", ANSWERED, WITH_FILES)
    write(tmp_path / "talks" / "qa-b.json", ANSWERED, {**ANSWERED, "id": "5"})
    (corpus,) = read_suite(tmp_path / "talks", limit=1).corpora
    assert corpus.name == "talks"
    assert [(one.name, len(one.questions)) for one in corpus.asked] == [("talks qa-a", 1), ("talks qa-b", 1)]


def test_what_cannot_be_scored_is_named_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path / "good" / "corpus.txt")
    write(tmp_path / "good" / "qa.json", ANSWERED)
    write(tmp_path / "good" / "qa-unanswerable.json", UNANSWERABLE)
    (tmp_path / "good" / "qa-broken.json").write_text("[", encoding="utf-8")
    write(tmp_path / "unasked" / "corpus.txt")
    write(tmp_path / "twice" / "corpus.txt")
    write(tmp_path / "twice" / "corpus.jsonl")
    suite = read_suite(tmp_path)
    assert [each.name for one in suite.corpora for each in one.asked] == ["good"]
    told = "\n".join(suite.left_out)
    for place, reason in [
        ("qa-unanswerable.json", "no question in it has an answer, evidence or sources"),
        ("qa-broken.json", "not JSON"),
        ("unasked", "has no questions"),
        ("twice", "must be only one of them"),
    ]:
        assert any(place in line and reason in line for line in told.splitlines())


@pytest.mark.parametrize("place", ["empty", "gone"])
def test_a_folder_without_corpora_says_what_a_suite_is(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"corpus\.jsonl") as raised:
        read_suite(tmp_path / place)
    assert str(tmp_path / place) in str(raised.value)
