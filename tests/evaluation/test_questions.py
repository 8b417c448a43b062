"""Files of questions: what is read from them, and what a broken one says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.questions import EvalQuestion, read_questions, read_suite_questions

WHOLE = {"id": "q1", "question": "Who?", "answer": "Ann", "aliases": ["Anna"], "supports": ["Ann Lee"]}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "qa.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_questions_with_and_without_the_optional_fields(tmp_path: Path) -> None:
    bare = {"id": 2, "question": "When?", "answer": "1957"}
    assert read_questions(written(tmp_path, [WHOLE, bare])) == (
        EvalQuestion("q1", "Who?", ("Ann", "Anna"), ("Ann Lee",)),
        EvalQuestion("2", "When?", ("1957",), ()),
    )


def test_a_support_may_have_no_title(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, [{**WHOLE, "supports": [""]}]))[0].supports == ("",)


def test_a_list_no_answer_a_kind_and_wrong_answers(tmp_path: Path) -> None:
    listed = {"id": "l", "question": "Which?", "answer": ["Ann", "Bo"], "kind": "list", "others": ["Cy"]}
    nothing = {"id": "n", "question": "Whose?", "answer": "", "kind": "unanswerable"}
    assert read_questions(written(tmp_path, [listed, nothing])) == (
        EvalQuestion("l", "Which?", (), kind="list", listed=("Ann", "Bo"), others=("Cy",)),
        EvalQuestion("n", "Whose?", (), kind="unanswerable"),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "no list of questions"),
        ('{"id": 1}', "no list of questions"),
        ([WHOLE, {"id": "q2", "question": "Who?"}], "question 2"),
        ([{**WHOLE, "answer": 5}], "question 1"),
        ([{**WHOLE, "aliases": None}], "question 1"),
        *(
            ([{**WHOLE, name: "Ann"}], "question 1")
            for name in ("aliases", "supports", "evidence", "sources", "others")
        ),
        ([{**WHOLE, "aliases": ["Anna", " "]}], "question 1"),
        *(([{**WHOLE, "answer": wrong}], "question 1") for wrong in (0, False, None, {}, " ", [], [""], [1])),
        (["Who?"], "question 1"),
        ([WHOLE, WHOLE], "same id"),
    ],
)
def test_a_broken_file_is_named_with_what_it_should_be(tmp_path: Path, content: object, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(SourceError, match=said) as raised:
        read_questions(path)
    assert str(path) in str(raised.value)


def test_a_mark_of_the_byte_order_is_no_part_of_the_file(tmp_path: Path) -> None:
    assert read_questions(written(tmp_path, "\ufeff" + json.dumps([WHOLE])))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_questions(tmp_path / "gone.json")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "qa.json"
    path.write_bytes(b'["\xff"]')
    with pytest.raises(SourceError, match="not JSON in UTF-8"):
        read_questions(path)


def test_questions_of_a_suite_need_something_to_find(tmp_path: Path) -> None:
    found = {"id": "e", "question": "Who?", "kind": "single", "evidence": ["Ann did it."], "sources": ["ann.md"]}
    listed = {"id": "l", "question": "Which?", "answer": ["Ann", "Bo"], "sources": ["ann.md", "bo.md"]}
    unanswerable = {**found, "id": "u", "answer": ""}
    bare = {"id": "b", "question": "Why?"}
    assert read_suite_questions(written(tmp_path, [WHOLE, found, listed, unanswerable, bare])) == (
        EvalQuestion("q1", "Who?", ("Ann", "Anna")),
        EvalQuestion("e", "Who?", (), kind="single", evidence=("Ann did it.",), sources=("ann.md",)),
        EvalQuestion("l", "Which?", (), sources=("ann.md", "bo.md"), listed=("Ann", "Bo")),
    )
