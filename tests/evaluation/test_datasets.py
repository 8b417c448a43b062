"""Public data sets in our form, each with a small invented example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.datasets.conversion import FORMATS, ConvertedDataset, convert, write
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph
from noderag_local.evaluation.questions import read_open_questions, read_questions

HERON = {"title": "Heron", "text": "The Heron is a ferry. Ann Lee built it."}
LEE = {"title": "Ann Lee", "text": "Ann Lee was born in Oslo."}
OTHER_LEE = {"title": "Ann Lee", "text": "Ann Lee is also a street in Bergen."}
PIKE = {"title": "Pike", "text": "The pike is a fish."}


def musique_paragraph(paragraph: dict[str, str], is_supporting: bool) -> dict[str, Any]:
    return {"title": paragraph["title"], "paragraph_text": paragraph["text"], "is_supporting": is_supporting}


MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "paragraphs": [
        musique_paragraph(PIKE, False),
        musique_paragraph(HERON, True),
        musique_paragraph(OTHER_LEE, False),
        musique_paragraph(LEE, True),
    ],
    "question": "Where was the builder of the Heron born?",
    "question_decomposition": [
        {"id": 1, "question": "Heron >> builder", "answer": "Ann Lee", "paragraph_support_idx": 1},
        {"id": 2, "question": "#1 >> born in", "answer": "Oslo", "paragraph_support_idx": 3},
    ],
    "answer": "Oslo",
    "answer_aliases": ["Kristiania"],
    "answerable": True,
}
HOTPOT: dict[str, Any] = {
    "_id": "5a7",
    "question": "Is the pike a ferry?",
    "answer": "no",
    "type": "comparison",
    "level": "easy",
    "supporting_facts": [["Heron", 0], ["Pike", 0], ["Heron", 1]],
    "context": [
        ["Pike", ["The pike is a fish."]],
        ["Ann Lee", ["Ann Lee was born in Oslo."]],
        ["Heron", ["The Heron is a ferry.", " Ann Lee built it."]],
    ],
}
TWO_WIKI = {**HOTPOT, "_id": "2w", "context": [[t, [s.strip() for s in text]] for t, text in HOTPOT["context"]]}
MULTIHOP: dict[str, Any] = {
    "query": "Which town do both The Wren and The Finch name as the ferry's port?",
    "answer": "Oslo",
    "question_type": "inference_query",
    "evidence_list": [
        {"title": "A ferry returns", "source": "The Wren", "fact": "The ferry sailed from Oslo."},
        {"title": "Ports of the north", "source": "The Finch", "fact": "Oslo has a ferry."},
    ],
}
NULL_QUERY = {
    "query": "What did nobody report?",
    "answer": "Insufficient information.",
    "question_type": "null_query",
    "evidence_list": [],
}
ARTICLES = [
    {"title": "A ferry returns", "body": "It is back. The ferry sailed from Oslo.", "source": "The Wren"},
    {"title": "Ports of the north", "body": "Oslo has a ferry.", "source": "The Finch", "published_at": "2023-10-01"},
    {"title": "Fish", "body": "The pike is a fish."},
]
BOOK = {
    "input": "How does a bee colony divide its labour?",
    "context": "Bees have tasks.\n\nYoung ones clean.",
    "answers": ["By age: young bees clean, old ones forage."],
    "label": "agriculture",
    "meta": {"title": "On bees", "authors": "A. Keeper"},
    "_id": "u1",
}


def lines(path: Path, *entries: Any) -> Path:
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def listed(path: Path, *entries: Any, indent: int | None = 1) -> Path:
    path.write_text(json.dumps(entries, indent=indent), encoding="utf-8")
    return path


def titles_at(converted: ConvertedDataset, question: dict[str, Any]) -> list[DatasetParagraph]:
    """The paragraphs on the lines that a question needs."""
    corpus = list(converted.pool)
    return [corpus[line - 1] for line in question["support_lines"]]


def test_musique_keeps_two_paragraphs_with_one_title_apart(tmp_path: Path) -> None:
    again = {**MUSIQUE, "id": "3hop1__7", "question": "Which street is in Bergen?", "answer_aliases": []}
    again["paragraphs"] = [musique_paragraph(OTHER_LEE, True), musique_paragraph(PIKE, False)]
    made = convert(FORMATS["musique"], [lines(tmp_path / "dev.jsonl", MUSIQUE, again)])
    assert [one.title for one in made.pool] == ["Pike", "Heron", "Ann Lee", "Ann Lee"]
    first, second = made.questions
    assert (first["kind"], first["answer"], first["aliases"]) == ("2-hop", "Oslo", ["Kristiania"])
    assert (first["supports"], first["support_lines"]) == (["Heron", "Ann Lee"], [2, 4])
    assert titles_at(made, second) == [DatasetParagraph(**OTHER_LEE)]


def test_an_unanswerable_question_of_musique_is_left_out_as_the_pool_may_answer_it(tmp_path: Path) -> None:
    twin = {**MUSIQUE, "answerable": False}
    made = convert(FORMATS["musique"], [lines(tmp_path / "full.jsonl", MUSIQUE, twin, MUSIQUE)])
    assert len(made.questions) == 1
    unanswerable, double = made.rejected
    assert "line 2: entry 2 is unanswerable by its own paragraphs" in unanswerable.told
    assert "line 3: entry 3 has the id '2hop__1_2' of entry 1" in double.told


@pytest.mark.parametrize(("name", "entry"), [("hotpotqa", HOTPOT), ("2wikimultihopqa", TWO_WIKI)])
def test_sentences_are_joined_and_facts_name_their_paragraphs(tmp_path: Path, name: str, entry: Any) -> None:
    made = convert(FORMATS[name], [listed(tmp_path / "dev.json", entry, indent=None)])
    (question,) = made.questions
    assert (question["id"], question["kind"]) == (entry["_id"], "comparison")
    assert titles_at(made, question) == [DatasetParagraph(**PIKE), DatasetParagraph(**HERON)]
    broken = {**entry, "_id": "b", "supporting_facts": [["Eel", 0]]}
    rejected = convert(FORMATS[name], [listed(tmp_path / "dev.json", entry, broken, indent=None)]).rejected
    assert [one.told for one in rejected] == [
        f"{tmp_path / 'dev.json'}, line 1: entry 2 needs 'Eel', which its context does not have."
    ]


@pytest.mark.parametrize("entry", [MUSIQUE, HOTPOT, TWO_WIKI], ids=["musique", "hotpotqa", "2wikimultihopqa"])
def test_hipporags_release_has_the_corpus_in_a_file_of_its_own(tmp_path: Path, entry: Any) -> None:
    questions = listed(tmp_path / "sample.json", entry)
    corpus = listed(tmp_path / "sample_corpus.json", PIKE, HERON, LEE, PIKE, OTHER_LEE)
    made = convert(FORMATS["hipporag"], [questions, corpus])
    assert [one.title for one in made.pool] == ["Pike", "Heron", "Ann Lee", "Ann Lee"]
    (question,) = made.questions
    assert DatasetParagraph(**HERON) in titles_at(made, question)
    lacking = listed(tmp_path / "other.json", PIKE, LEE)
    with pytest.raises(SourceError, match=r"sample\.json.*needs a paragraph 'Heron' with a text"):
        convert(FORMATS["hipporag"], [questions, lacking])


def test_hipporags_older_corpus_is_an_object_of_titles(tmp_path: Path) -> None:
    corpus = tmp_path / "hotpotqa_corpus.json"
    corpus.write_text(json.dumps(dict(HOTPOT["context"]), indent=4), encoding="utf-8")
    made = convert(FORMATS["hipporag"], [listed(tmp_path / "hotpotqa.json", HOTPOT), corpus])
    assert titles_at(made, made.questions[0]) == [DatasetParagraph(**PIKE), DatasetParagraph(**HERON)]


def test_a_fault_in_an_object_of_titles_is_told_with_its_line(tmp_path: Path) -> None:
    corpus = tmp_path / "hotpotqa_corpus.json"
    held = {**dict(HOTPOT["context"]), "Stork": [], "Crane": [5]}
    corpus.write_text(json.dumps(held, indent=4), encoding="utf-8")
    written = corpus.read_text(encoding="utf-8").split("\n")
    lines_of = [
        1 + written.index(next(line for line in written if f'"{title}"' in line)) for title in ("Stork", "Crane")
    ]
    made = convert(FORMATS["hipporag"], [listed(tmp_path / "hotpotqa.json", HOTPOT), corpus])
    assert [one.line for one in made.rejected] == lines_of
    assert lines_of[0] > 5


def test_multihop_rag_has_articles_with_their_source_and_questions_without_an_answer(tmp_path: Path) -> None:
    files = [listed(tmp_path / "MultiHopRAG.json", MULTIHOP, NULL_QUERY), listed(tmp_path / "corpus.json", *ARTICLES)]
    made = convert(FORMATS["multihop-rag"], files)
    assert list(made.pool)[1].text == "Source: The Finch. Published: 2023-10-01.\n\nOslo has a ferry."
    assert list(made.pool)[2].text == "The pike is a fish."
    asked, nothing = made.questions
    assert (asked["id"], asked["support_lines"], asked["kind"]) == ("1", [1, 2], "inference_query")
    assert asked["evidence"] == ["The ferry sailed from Oslo.", "Oslo has a ferry."]
    assert (nothing["answer"], nothing.get("supports")) == ("", None)


def test_ultradomain_gives_open_questions_about_whole_books(tmp_path: Path) -> None:
    other = {**BOOK, "_id": "u2", "input": "Who cleans?"}
    made = convert(FORMATS["ultradomain"], [lines(tmp_path / "agriculture.jsonl", BOOK, other)])
    assert list(made.pool) == [DatasetParagraph("On bees", BOOK["context"])]
    qa, _ = write(made, tmp_path / "out", replace=False)
    assert [one.question for one in read_open_questions(qa)] == [BOOK["input"], "Who cleans?"]
    assert read_questions(qa)[0].kind == "agriculture"


def test_our_own_lines_keep_their_fields_and_supports_of_one_title_stay_titles(tmp_path: Path) -> None:
    asked = {"question": "Where?", "answer": "Oslo", "others": ["Bergen"], "supports": ["Heron"]}
    double = {"id": "d", "question": "Who?", "answer": "Ann", "supports": ["Ann Lee"]}
    corpus = lines(tmp_path / "corpus.jsonl", LEE, OTHER_LEE, LEE, HERON)
    made = convert(FORMATS["jsonl"], [lines(tmp_path / "qa.jsonl", asked, double), corpus])
    assert made.questions == [{"id": "1", **asked, "support_lines": [3]}, double]


def test_lines_of_supports_are_those_of_the_new_corpus(tmp_path: Path) -> None:
    asked = {"question": "Where was Lee born?", "answer": "Oslo", "supports": ["Ann Lee"]}
    known = {**asked, "support_lines": [4, 3]}
    found = [known, {**known, "support_lines": [9]}, {**known, "supports": ["Pike"]}, {**known, "support_lines": [5]}]
    corpus = lines(tmp_path / "corpus.jsonl", LEE, HERON, LEE, OTHER_LEE, HERON)
    made = convert(FORMATS["jsonl"], [lines(tmp_path / "qa.jsonl", *found), corpus])
    assert made.questions == [{"id": "1", **asked, "supports": ["Ann Lee", "Ann Lee"], "support_lines": [3, 1]}]
    assert [one.number for one in made.rejected] == [2, 3, 4]
    assert "needs the paragraph on line 9" in made.rejected[0].told


def test_every_fault_is_told_with_its_file_and_line(tmp_path: Path) -> None:
    questions = tmp_path / "qa.jsonl"
    good = json.dumps({"question": "Where?", "answer": "Oslo", "supports": ["Heron"]})
    no_corpus = json.dumps({"question": "Where?", "answer": "Oslo", "supports": ["Eel"]})
    questions.write_text(f'{good}\n\n{{"question"\n{{"question": "Who?"}}\n"text"\n{no_corpus}\n', encoding="utf-8")
    corpus = lines(tmp_path / "corpus.jsonl", HERON, {"title": "Eel", "text": " "}, {"title": "Eel"})
    made = convert(FORMATS["jsonl"], [questions, corpus])
    assert len(made.questions) == len(made.pool) == 1
    told = [(one.path.name, one.line, one.number, one.reason.partition(":")[0]) for one in made.rejected]
    assert told == [
        ("corpus.jsonl", 2, 2, "has an empty text"),
        ("corpus.jsonl", 3, 3, "has no field 'text', so it is not in the format jsonl"),
        ("qa.jsonl", 3, 2, "is not JSON at column 12"),
        ("qa.jsonl", 4, 3, "has no field 'answer', so it is not in the format jsonl"),
        ("qa.jsonl", 5, 4, "is not in the format jsonl"),
        ("qa.jsonl", 6, 5, "needs the paragraph 'Eel', which the corpus does not have"),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[\n{"id": 1},\n{"id": \n]', r"dev\.json, line 4: Expecting value"),
        ('[{"id": 1} {"id": 2}]', r"dev\.json, line 1: a comma or the end of the list is missing"),
        ("[]", r"dev\.json has no question in the format musique\. Choose another"),
        (
            '\n{"data": [{"id": 1}],\n"n": 1}\n',
            r"dev\.json has no question in the format musique\. The first fault: .*line 2: entry 1 has no field",
        ),
        (
            '{"id": 1}',
            r"dev\.json has no question in the format musique\. The first fault: .*line 1: entry 1 has no field",
        ),
    ],
)
def test_a_file_without_any_question_is_told(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "dev.json").write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match=said):
        convert(FORMATS["musique"], [tmp_path / "dev.json"])


def test_a_file_that_cannot_be_read_or_is_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.json cannot be read"):
        convert(FORMATS["musique"], [tmp_path / "gone.json"])
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(SourceError, match=r"latin\.json is not UTF-8 at byte 2"):
        convert(FORMATS["musique"], [tmp_path / "latin.json"])


def test_the_first_questions_bring_only_their_paragraphs(tmp_path: Path) -> None:
    other = {**HOTPOT, "_id": "2", "context": [["Pike", ["Another text."]], ["Heron", ["Another, too."]]]}
    made = convert(FORMATS["hotpotqa"], [listed(tmp_path / "dev.json", HOTPOT, other)], limit=1)
    assert (len(made.questions), len(made.pool)) == (1, 3)


def test_the_same_files_give_the_same_bytes_and_what_is_written_is_read(tmp_path: Path) -> None:
    source = lines(tmp_path / "dev.jsonl", {**MUSIQUE, "question": "Wo? \ud800 Łódź"})
    first = write(convert(FORMATS["musique"], [source]), tmp_path / "a", replace=False)
    second = write(convert(FORMATS["musique"], [source]), tmp_path / "b", replace=False)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    (question,) = read_questions(first[0])
    assert (question.question, question.support_lines) == ("Wo? ? Łódź", (2, 4))
    with pytest.raises(SourceError, match=r"qa\.json exists.*--force"):
        write(convert(FORMATS["musique"], [source]), tmp_path / "a", replace=False)


def test_an_entry_with_an_empty_list_of_answers_is_left_out(tmp_path: Path) -> None:
    questions, corpus = tmp_path / "musique.json", tmp_path / "musique_corpus.json"
    entry = {"id": "1", "question": "Where was Ann Lee born?", "paragraphs": [musique_paragraph(LEE, True)]}
    questions.write_text(
        json.dumps([{**entry, "answer": []}, {**entry, "id": "2", "answer": ["Oslo"]}]), encoding="utf-8"
    )
    corpus.write_text(json.dumps([LEE]), encoding="utf-8")
    converted = convert(FORMATS["hipporag"], [questions, corpus])
    assert (len(converted.questions), len(converted.rejected)) == (1, 1)


def test_blank_aliases_and_facts_of_others_are_dropped(tmp_path: Path) -> None:
    blank = {**MUSIQUE, "answer_aliases": ["", "Kristiania", " "]}
    (question,) = convert(FORMATS["musique"], [lines(tmp_path / "dev.jsonl", blank)]).questions
    assert question["aliases"] == ["Kristiania"]
    answers = ["Bees do.", "", "The bees."]
    (question,) = convert(FORMATS["ultradomain"], [lines(tmp_path / "a.jsonl", {**BOOK, "answers": answers})]).questions
    assert (question["answer"], question["aliases"]) == ("Bees do.", ["The bees."])
    facts = [{**one, "fact": ""} for one in MULTIHOP["evidence_list"]]
    files = [
        listed(tmp_path / "MultiHopRAG.json", {**MULTIHOP, "evidence_list": facts}),
        listed(tmp_path / "corpus.json", *ARTICLES),
    ]
    (question,) = convert(FORMATS["multihop-rag"], files).questions
    assert question["evidence"] == []
