"""`noderag eval` from the corpus to the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command_line import Noderag
from helpers.model_server import serving

from noderag_local.interfaces.cli.questions.corpus import corpus_vault

DOCUMENTS = [
    {"title": "Heron", "text": "The Heron is a ferry. It was built by Ann Lee in 1911."},
    {"title": "Ann Lee", "text": "Ann Lee was an engineer. She was born in Oslo."},
    {"title": "Pike", "text": "The pike is a fish. It lives in slow rivers."},
]
QUESTIONS = [
    {
        "id": "1",
        "question": "Where was the builder of the Heron born?",
        "answer": "Oslo",
        "aliases": ["Kristiania"],
        "supports": ["Heron", "Ann Lee"],
    },
    {"id": "2", "question": "What does the pike weigh?", "answer": "nine kilos"},
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "qa.json"
    corpus.write_text("\n".join(map(json.dumps, DOCUMENTS)), encoding="utf-8")
    questions.write_text(json.dumps(QUESTIONS), encoding="utf-8")
    return questions, corpus


def test_the_corpus_is_indexed_once_and_every_run_is_dumped(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    questions, corpus = files
    words = ("eval", questions, "--corpus", corpus, "--vault", tmp_path / "v", "--budgets", "60,200")
    done = noderag(*words, "--dump", tmp_path / "run.jsonl")
    assert done.code == 0
    assert "Indexed 3 documents" in done.err
    heading, small, large, *notes = (line.split() for line in done.out.splitlines())
    assert heading[:4] == ["method", "budget", "n", "coverage"]
    assert (small[:3], large[:4]) == (["noderag", "60", "2"], ["noderag", "200", "2", "50.0"])
    assert heading[-4:] == ["R@2", "R@5", "all", "supports"]
    assert large[-3:] == ["100.0"] * 3  # the supporting paragraphs of the only question that names any
    assert notes[-1][:4] == ["noderag", "at", "200", "tokens:"]  # the corpus has fewer than five documents
    assert "3 documents of" in done.err and "asked 0 times" in done.err
    provenance, *rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert provenance["made_of"]["documents"] == 3
    assert [(row["id"], row["budget"]) for row in rows] == [("1", 60), ("2", 60), ("1", 200), ("2", 200)]
    assert sorted(map(tuple, rows[2]["ranking"]))[-2:] == [("Heron", 1), ("Pike", 3)] or len(rows[2]["ranking"]) == 2
    assert "ranking" not in rows[1]  # the question names no supports
    assert all(0 < row["tokens"] <= row["budget"] and row["ms"] > 0 for row in rows)
    assert "Indexed" not in noderag(*words).err


def test_a_run_goes_on_from_its_dump_and_is_told_in_a_report(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    questions, corpus = files
    dump, folder = tmp_path / "run.jsonl", tmp_path / "report"
    words = ("eval", questions, "--corpus", corpus, "--vault", tmp_path / "v", "--budgets", "60", "--dump", dump)
    assert noderag(*words).code == 0
    before = dump.read_text(encoding="utf-8")
    done = noderag(*words, "--methods", "noderag,naive", "--report", folder)
    assert done.code == 0
    assert dump.read_text(encoding="utf-8").startswith(before)
    assert len(dump.read_text(encoding="utf-8").splitlines()) == 5
    assert str(folder / "report.html") in done.err
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "| noderag |" in report
    assert "| naive |" in report
    beside = noderag(*words, "--report", folder, "--beside", dump)
    assert beside.code == 0
    assert "| noderag, v |" in (folder / "report.md").read_text(encoding="utf-8")


def test_all_methods_that_can_be_run_are_and_the_others_are_named(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    words = ("--methods", "all", "--budgets", "60", "--limit", 1, "--json")
    done = noderag("eval", files[0], "--corpus", files[1], "--vault", tmp_path / "v", *words)
    assert done.code == 0, done.out
    assert {score["method"] for score in done.document} >= {"noderag", "ket", "light-mix", "hippo", "naive", "bm25"}
    assert "graphrag-global is left out" in done.err  # nothing was read by a model
    assert "hyde is left out" in done.err
    assert "noderag models get" in done.err
    assert "zero-shot is left out" in done.err


def test_a_method_that_asks_the_model_counts_its_tokens(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (
        "--methods",
        "hyde,zero-shot",
        "--budgets",
        "60",
        "--limit",
        1,
        "--answers",
        "--dump",
        tmp_path / "d.jsonl",
    )
    with serving(answer=lambda exchange: exchange.say("Ann Lee was born in Oslo.")) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("eval", files[0], "--corpus", files[1], "--vault", tmp_path / "v", *words)
    assert done.code == 0, done.err
    provenance, hyde, alone = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert provenance["made_of"]["model"] == "fake"
    assert (alone["tokens"], alone["context"]) == (0, "")
    assert alone["answer"] == hyde["answer"] == "Ann Lee was born in Oslo."
    assert hyde["llm_tokens"] > alone["llm_tokens"] > 0
    assert len(server.asked) == 3
    # HyDE's passage was written when the methods were warmed up; it counts where it is used.
    assert (hyde["use"]["calls"], alone["use"]["calls"]) == (2, 1)


def test_what_the_models_work_would_cost_at_given_prices(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--vault", tmp_path / "v", "--budgets", "60", "--limit", 1, "--answers", "--price-in", "1000000")
    with serving(answer=lambda exchange: exchange.say("Oslo")) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        (priced,) = noderag("eval", files[0], "--corpus", files[1], *words, "--price-out", "0", "--json").document
    assert priced["llm_use"]["calls"] == len(server.asked) == 1
    assert priced["cost"] == priced["llm_use"]["prompt_tokens"] > 0
    done = noderag("eval", files[0], "--corpus", files[1], *words)
    assert done.code == 2
    assert "give both" in " ".join(done.err.split())


def test_a_dump_of_something_else_is_told_before_the_work(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    dump = tmp_path / "run.jsonl"
    dump.write_text("notes\n", encoding="utf-8")
    done = noderag("eval", files[0], "--corpus", files[1], "--vault", tmp_path / "v", "--dump", dump)
    assert done.code == 3
    assert "run.jsonl" in done.err
    assert dump.read_text(encoding="utf-8") == "notes\n"


def test_methods_limit_and_answers_for_programs(noderag: Noderag, files: tuple[Path, Path], tmp_path: Path) -> None:
    questions, corpus = files
    words = ("--methods", "naive,bm25", "--budgets", "100", "--limit", 1, "--answers", "--json")
    scores = noderag("eval", questions, "--corpus", corpus, "--vault", tmp_path / "v", *words).document
    assert [(score["method"], score["questions"]) for score in scores] == [("naive", 1), ("bm25", 1)]
    assert all(score["f1"] is not None for score in scores)


def test_full_answers_are_scored_by_kind_and_asked_for_once(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        {"id": "1", "question": "Where was Ann Lee born?", "answer": "Oslo", "others": ["Bergen"], "kind": "single"},
        {"id": "2", "question": "What is the shoe size of Ann Lee?", "answer": "", "kind": "unanswerable"},
    ]
    files[0].write_text(json.dumps(asked), encoding="utf-8")
    words = ("--corpus", files[1], "--vault", tmp_path / "v", "--budgets", "200", "--cache", tmp_path / "c.db")
    with serving(answer=lambda exchange: exchange.say("She was born in Oslo [1].")) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        done = noderag("eval", files[0], *words, "--full-answers")
        once = len(server.asked)
        again = noderag("eval", files[0], *words, "--full-answers", "--json")
        assert len(server.asked) == once >= 2
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[3] == "a question, mean budget calls read written seconds".split()
    # The second answer is checked, and not shown: the server does not say yes.
    assert rows[4][:3] == ["noderag", "200", "1.5"]
    assert rows[6:] == [
        ["noderag,", "200", "tokens", "n", "points", "95", "%", "interval", "do", "not", "tell"],
        ["single", "1", "100.0", "100.0", "to", "100.0", "0.0"],
        ["unanswerable", "1", "100.0", "100.0", "to", "100.0", "100.0"],
        ["all", "2", "100.0", "100.0", "to", "100.0", "50.0"],
    ]
    assert [one["points"]["mean"] for one in again.document[0]["kinds"]] == [100, 100, 100]


def test_the_contexts_of_a_dump_are_answered_from_without_the_corpus(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, corpus = files
    dump, answered = tmp_path / "run.jsonl", tmp_path / "answered.jsonl"
    words = ("--corpus", corpus, "--vault", tmp_path / "v", "--budgets", "60,200", "--methods", "noderag,bm25")
    assert noderag("eval", questions, *words, "--dump", dump).code == 0
    corpus.unlink()
    with serving(answer=lambda exchange: exchange.say("Oslo")) as server:
        monkeypatch.setenv("NODERAG_SERVER_URL", server.url)
        words = ("--contexts", dump, "--answers", "--methods", "noderag", "--budgets", "200", "--json")
        done = noderag("eval", questions, *words, "--dump", answered)
        again = noderag("eval", questions, *words, "--dump", answered)
        assert len(server.asked) == 2
        assert noderag("eval", questions, *words, "--dump", dump).code == 2
    assert again.document == done.document
    (score,) = done.document
    assert (score["method"], score["budget_tokens"], score["exact_match"]) == ("noderag", 200, 50)
    rows = [json.loads(line) for line in answered.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["made_of"]["model"] == "fake"
    assert [row["answer"] for row in rows[1:]] == ["Oslo", "Oslo"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--answers", "--corpus", "c.jsonl"), "takes no --corpus"),
        (("--full-answers",), "takes no --full-answers"),
        ((), "give --answers"),
        (("--answers", "--methods", "naive"), "has no context"),
    ],
)
def test_contexts_and_what_does_not_go_with_them(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    dump = tmp_path / "run.jsonl"
    made = noderag("eval", files[0], "--corpus", files[1], "--vault", tmp_path / "v", "--budgets", "60", "--dump", dump)
    assert made.code == 0
    done = noderag("eval", files[0], "--contexts", dump, *words)
    assert done.code == 2
    assert told in " ".join(done.err.replace("│", " ").split())


def test_a_cache_without_answers_and_both_forms_are_mistakes(noderag: Noderag, files: tuple[Path, Path]) -> None:
    for words in (("--cache", "c.db"), ("--answers", "--full-answers")):
        assert noderag("eval", files[0], "--corpus", files[1], *words).code == 2


def test_runs_beside_others_need_a_report(noderag: Noderag, files: tuple[Path, Path], tmp_path: Path) -> None:
    done = noderag("eval", files[0], "--corpus", files[1], "--beside", tmp_path / "run.jsonl")
    assert done.code == 2
    assert "--report" in done.err


def test_lines_as_documents(noderag: Noderag, files: tuple[Path, Path], tmp_path: Path) -> None:
    lines = tmp_path / "corpus.txt"
    lines.write_text("\n".join(document["text"] for document in DOCUMENTS), encoding="utf-8")
    words = ("--lines", "--vault", tmp_path / "v", "--budgets", "100", "--limit", 1, "--json")
    (score,) = noderag("eval", files[0], "--corpus", lines, *words).document
    assert score["coverage"] == 100


def test_a_budget_that_is_named_twice_counts_once(noderag: Noderag, files: tuple[Path, Path]) -> None:
    words = ("--corpus", files[1], "--vault", files[0].parent / "v", "--budgets", "100,100", "--json")
    (score,) = noderag("eval", files[0], *words).document
    assert score["questions"] == len(QUESTIONS)


@pytest.mark.parametrize("budgets", ["many", "", "100,-5", "0"])
def test_budgets_that_are_no_numbers(noderag: Noderag, files: tuple[Path, Path], budgets: str) -> None:
    done = noderag("eval", files[0], "--corpus", files[1], "--budgets", budgets)
    assert done.code == 2
    assert "1000,2000" in done.err


def test_a_dump_that_cannot_be_written_is_told_before_the_work(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    dump = tmp_path / "no" / "run.jsonl"
    done = noderag("eval", files[0], "--corpus", files[1], "--vault", tmp_path / "v", "--dump", dump)
    assert done.code == 2
    assert str(dump) in done.err
    assert not (tmp_path / "v").exists()


def test_without_a_vault_every_corpus_has_its_own(tmp_path: Path) -> None:
    one, other = corpus_vault(tmp_path / "a" / "corpus.txt"), corpus_vault(tmp_path / "b" / "corpus.txt")
    assert one != other
    assert one.name.startswith("corpus-")
    assert corpus_vault(tmp_path / "a" / "corpus.txt") == one


def test_a_vault_that_holds_other_notes_too_is_named_before_the_figures(
    noderag: Noderag, files: tuple[Path, Path], tmp_path: Path
) -> None:
    questions, corpus = files
    other = tmp_path / "other.md"
    other.write_text("The pike in the pond is called Rudolf.", encoding="utf-8")
    assert noderag("index", other, "--vault", tmp_path / "v").code == 0
    words = ("eval", questions, "--corpus", corpus, "--budgets", "60")
    assert "also holds 1 document from elsewhere" in noderag(*words, "--vault", tmp_path / "v").err
    assert "elsewhere" not in noderag(*words, "--vault", tmp_path / "alone").err


def test_a_sweep_runs_a_variant_for_each_value(noderag: Noderag, files: tuple[Path, Path], tmp_path: Path) -> None:
    questions, corpus = files
    words = ("eval", questions, "--corpus", corpus, "--vault", tmp_path / "v", "--budgets", "60", "--limit", 1)
    done = noderag(*words, "--methods", "ket,naive", "--set", "theta=0.2,0.4", "--dump", tmp_path / "runs.jsonl")
    assert [line.split("  ")[0] for line in done.out.splitlines()[1:4]] == ["ket(theta=0.2)", "ket", "naive"]
    kept = [json.loads(line).get("method") for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert kept[-3:] == ["ket(theta=0.2)", "ket", "naive"]
    wrong = noderag(*words, "--methods", "naive", "--set", "theta=0.2")
    assert wrong.code == 2
    assert "None of the methods has a parameter 'theta'" in wrong.err
