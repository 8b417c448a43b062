#!/usr/bin/env python3
"""Runs methods on a vault for which an oracle answers in place of a language model, from the annotations of the questions.

    .venv/bin/python scripts/bench/oracle.py VAULT CORPUS.jsonl QA.json --into DIR --dump OUT.jsonl [--steps]

VAULT is an index of CORPUS.jsonl ({"title", "text"} a line, as musique-train has it); it is copied to DIR and enriched there by
the oracle, through the code that a model goes through. What a method finds there and not with rules, a perfect model would
add; what it still misses is the method's own.

    statements   each sentence of a paragraph states that the paragraph's title has to do with each name in it: a title of
                 the corpus, an answer, or a name that rules find. So pronouns are resolved, and gold names are never cut
                 wrongly. Which paragraphs support which question is not told. Where a chunk has more names than lines,
                 answers and supports go first, then other titles.
    questions    methods that ask a model for the names in the question get the titles of its supports that stand in it; with
                 --steps, the titles of all supports, as a perfect decomposition would give the answers to the steps. A title
                 that holds the answer to the question itself is never among them.

The annotations do not tell what a model would sum up: attributes, high-level elements and summaries of communities are left
unwritten, and the sentences of the notes stand for them. Nor do they tell what a passage with the answer might say (`hyde`).
The dump has the methods and budgets that claims.toml needs; where a method asks a model at the question, such as
`noderag-paper-llm`, its run has the name of the method without (`noderag-paper`).
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from claims import read_claims

from noderag_local.config import load_settings
from noderag_local.evaluation.dump import Dump
from noderag_local.evaluation.metrics import covers
from noderag_local.evaluation.questions import EvalQuestion, read_questions
from noderag_local.evaluation.runs import run_questions
from noderag_local.extraction.statements.numbered_text import LONG_SENTENCE_WORDS, MOST_LINES
from noderag_local.interfaces.cli.questions.corpus import provenance_of
from noderag_local.models.language_model import LanguageModel
from noderag_local.models.llm.engine import Request, never
from noderag_local.models.llm.prompt_files import turns
from noderag_local.models.llm.scripted import ScriptedEngine
from noderag_local.pipeline.budget import Budget
from noderag_local.retrieval.method_spec import MethodSpec, read_spec
from noderag_local.retrieval.retriever import METHODS
from noderag_local.system.disk.private_files import copy_private, make_private_folder
from noderag_local.text.capitals import capitalised_runs
from noderag_local.text.stopwords import every_stop_word
from noderag_local.vault.vault import Vault

MOST_NAME_WORDS = 8
PREDICATE_WORDS = 4
NO_PREDICATE = "is told with"
IN_USE = "noderag"

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(\d+)\. (.*)")
_DISAMBIGUATION = re.compile(r" \([^()]*\)$")
_IN_PREDICATES = re.compile(r"[A-Za-z0-9',-]+")


class Oracle:
    """Answers requests from the titles of a corpus and the answers and supports of its questions."""

    def __init__(self, titles: Sequence[str], questions: Sequence[EvalQuestion], *, steps: bool) -> None:
        """Collects the gold names.

        Args:
            titles: titles of all paragraphs of the corpus.
            questions: questions with answers and supports.
            steps: whether the names of a question are those of all its supports, or only those that stand in it.
        """
        answers = [answer for question in questions for answer in question.answers]
        supports = [bare(title) for question in questions for title in question.supports]
        self._first = {_words(name) for name in (*answers, *supports) if is_name(name)}
        self._names = self._first | {_words(bare(title)) for title in titles if is_name(bare(title))}
        self._steps = steps
        self._questions = {" ".join(one.question.split()): one for one in questions}

    def reply(self, request: Request) -> str:
        """Returns the answer to a request; "" to one that the annotations do not answer."""
        instructions, asked = request.messages[0].content, request.messages[-1].content
        if asked.endswith("Facts:"):
            return "\n".join(self.statements(asked))
        question = self._questions.get(asked.removeprefix("Question: "))
        if question is None:
            return ""
        names = self.names_of(question)
        if instructions == turns("papers.noderag", "question_entities")[0].content:
            return ", ".join(names)
        if instructions == turns("papers.lightrag", "light_keywords")[0].content:
            theme = question.question
            for name in names:
                theme = theme.replace(name, " ")
            return f"Low: {', '.join(names)}\nHigh: {' '.join(theme.split())}"
        return ""

    def names_of(self, question: EvalQuestion) -> list[str]:
        """Returns the gold names of a question but its answer, without commas, since the model's lists are parted by them."""
        titles = map(bare, question.supports)
        names = dict.fromkeys(title for title in titles if not covers(title, question.answers))
        asked = question.question.casefold()
        return [name.replace(",", " ") for name in names if self._steps or name.casefold() in asked]

    def statements(self, chunk: str) -> list[str]:
        """Returns the lines about a chunk, which is shown as a title and numbered sentences."""
        title, *lines = chunk.split("\n")
        if not title.startswith("Title: "):
            return []
        subject = bare(title.removeprefix("Title: "))
        sentences = [(int(found[1]), found[2]) for found in map(_SENTENCE.fullmatch, lines) if found]
        stated = [
            (one.rank, number, one.start, f"{number} {subject} | {predicate(text, one.start)} | {one.name}")
            for number, text in sentences
            for one in self._objects(text)
            if one.name != subject
        ]
        room = sum(min(MOST_LINES, 1 + len(text.split()) // LONG_SENTENCE_WORDS) for _, text in sentences)
        return [line for *_, line in sorted(sorted(stated)[:room], key=lambda one: one[1:3])]

    def _objects(self, text: str) -> Iterator[NamedIn]:
        """Yields the gold names in a sentence, of overlapping ones the first and longest, and the names that rules find beside."""
        words, at, taken = list(_WORD.finditer(text)), 0, set[int]()
        while at < len(words):
            lengths = range(min(MOST_NAME_WORDS, len(words) - at), 0, -1)
            length = next((n for n in lengths if tuple(w[0] for w in words[at : at + n]) in self._names), 0)
            if length:
                start, end = words[at].start(), words[at + length - 1].end()
                taken.update(range(start, end))
                yield NamedIn(0 if _words(text[start:end]) in self._first else 1, start, text[start:end])
            at += length or 1
        for name in dict.fromkeys(" ".join(run).rstrip(".") for run in capitalised_runs(text)):
            start = text.find(name)
            if start >= 0 and taken.isdisjoint(range(start, start + len(name))):
                yield NamedIn(2, start, name)


class NamedIn(NamedTuple):
    """A name in a sentence."""

    rank: int
    """0 for an answer or a support, 1 for another title, 2 for a name that rules find."""
    start: int
    name: str


def predicate(text: str, start: int) -> str:
    """Returns the words of a sentence before a name."""
    return " ".join(_IN_PREDICATES.findall(text[:start])[-PREDICATE_WORDS:]) or NO_PREDICATE


def bare(title: str) -> str:
    """Returns a title without what sets it apart from others: "Brand" of "Brand (play)"."""
    return _DISAMBIGUATION.sub("", title.strip())


def is_name(text: str) -> bool:
    """Tells whether a title or an answer is a name: it begins with a capital letter and is no stop word."""
    return text[:1].isupper() and text.casefold() not in every_stop_word()


def _words(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(name))


class OracleModel(LanguageModel):
    """A language model whose answers an oracle gives."""

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(load_settings())
        self._oracle = oracle

    def engine(self) -> ScriptedEngine:  # type: ignore[override]
        """Returns an engine with the oracle's answers."""
        return ScriptedEngine(name="oracle", reply=self._oracle.reply)

    def close(self) -> None:
        """Frees the vocabulary that tokens are counted with."""
        self._count_tokens = None


def asking(method: str) -> str:
    """Returns the method that asks a model at the question, if there is one; else the method itself."""
    spec = read_spec(method)
    return str(MethodSpec(f"{spec.name}-llm", spec.values)) if f"{spec.name}-llm" in METHODS else method


def wanted() -> Iterator[tuple[int, list[str]]]:
    """Yields each budget with the methods that the claims need there, and the default."""
    claims = [claim for claim in read_claims() if claim.ahead]
    for budget in sorted({claim.budget for claim in claims}):
        named = [name for claim in claims if claim.budget == budget for name in (claim.ahead, claim.behind)]
        yield budget, [IN_USE, *dict.fromkeys(name for name in named if read_spec(name).name in METHODS)]


def run_all(vault: Vault, questions: Sequence[EvalQuestion], path: Path) -> None:
    """Writes the runs of all methods that the claims need to a dump; finished ones are not repeated."""
    vault.count_exactly()
    with Dump(path, provenance_of(vault, "oracle"), questions) as dump:
        for budget, methods in wanted():
            for method in methods:
                if all(dump.has(question, method, budget, None) for question in questions):
                    continue
                for run in run_questions(vault, questions, [asking(method)], [budget], cancelled=never):
                    dump.keep(replace(run, method=method))
                print(f"{method}, {budget:,} tokens", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("vault", "corpus", "questions"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--into", type=Path, required=True, help="folder of the vault that the oracle enriches")
    parser.add_argument("--dump", type=Path, required=True, help="file of the runs")
    parser.add_argument("--steps", action="store_true", help="questions are taken apart by the oracle, too")
    arguments = parser.parse_args()
    titles = [json.loads(line)["title"] for line in arguments.corpus.read_text(encoding="utf-8").splitlines()]
    questions = read_questions(arguments.questions)
    if not arguments.into.exists():
        make_private_folder(arguments.into)
        for file in arguments.vault.iterdir():
            if file.is_file():
                copy_private(file, arguments.into / file.name)
    with Vault(arguments.into, load_settings(), OracleModel(Oracle(titles, questions, steps=arguments.steps))) as vault:
        report = vault.enrichment.run(Budget())
        print(report, flush=True)
        run_all(vault, questions, arguments.dump)


if __name__ == "__main__":
    main()
