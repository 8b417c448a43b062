"""Finds the corpora in a folder and the questions about each.

The layout is documented in the manual, under "A suite of your own" (manual/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.questions import EvalQuestion, read_suite_questions

LINES = "corpus.txt"
"""Name of a corpus file in which each line is a document."""
CORPUS_FORMS = ("corpus.jsonl", LINES, "notes")
QUESTION_FILES = ("qa*.json", "questions*.json")
CROSS_FILES = "cross-*.json"
CROSS_CORPUS = "en"
"""Folder whose corpus answers the questions of the `CROSS_FILES` beside it."""
DEEPEST = 4
"""Maximum depth of folders below the suite; also ends links that form a circle."""
LAYOUT = (
    "A corpus is a folder with corpus.txt, corpus.jsonl or notes/, and with questions in qa*.json or questions*.json; "
    "`noderag help benchmarks` describes it."
)


class Measure(StrEnum):
    """What is counted in a context."""

    RECALL = "recall"
    """Share of the pieces of evidence that the context contains."""
    FILES = "files"
    """Whether the context contains every file that the question needs."""
    COVERAGE = "coverage"
    """Whether the context contains an answer."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of one file, all scored by the same measure."""

    name: str
    """Name of the corpus, followed by the name of the file if the corpus has several."""
    measure: Measure
    questions: tuple[EvalQuestion, ...]
    """Questions that the measure can score; not empty."""


@dataclass(frozen=True, slots=True)
class SuiteCorpus:
    """A corpus and its questions."""

    name: str
    """Path of its folder relative to the suite, with `/` between folders."""
    path: Path
    """File or folder to index."""
    by_lines: bool
    """Whether each line of the file is a document."""
    asked: tuple[QuestionSet, ...]
    """Sets of questions; not empty."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The corpora of a folder."""

    corpora: tuple[SuiteCorpus, ...]
    """Corpora ordered by name; not empty."""
    left_out: tuple[str, ...]
    """A sentence for each file and folder that cannot be scored, with the reason."""


def read_suite(folder: Path, limit: int = 0) -> Suite:
    """Finds the corpora in a folder and reads their questions.

    Args:
        folder: folder of the suite; a single corpus is also a suite.
        limit: maximum questions per file; 0 for all.

    Raises:
        SourceError: the folder does not exist, or has no corpus with questions that can be scored.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder. Name a folder of corpora for --suite. {LAYOUT}")
    left_out: list[str] = []
    files = _question_files(folder, "", DEEPEST, left_out)
    corpora = [
        SuiteCorpus(place.name or folder.absolute().name, place.path, place.path.name == LINES, asked)
        for place, files_of_place in sorted(files.items(), key=lambda item: item[0].name)
        if (asked := _question_sets(place.name or folder.absolute().name, files_of_place, limit, left_out))
    ]
    if not corpora:
        reasons = " ".join(left_out)
        raise SourceError(f"{folder} has no corpus with questions that can be scored. {reasons} {LAYOUT}")
    return Suite(tuple(corpora), tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Place:
    """Location of a corpus."""

    name: str
    """Path of its folder relative to the suite; "" for the suite itself."""
    path: Path


def _question_files(folder: Path, name: str, levels: int, left_out: list[str]) -> dict[_Place, list[tuple[str, Path]]]:
    """Returns the question files of each corpus, each with the name of its set, or "" for the corpus's only one."""
    held = [folder / form for form in CORPUS_FORMS if (folder / form).exists()]
    if len(held) > 1:
        left_out.append(
            f"{folder} is left out: it has both {held[0].name} and {held[1].name}, but a corpus must be only one of them."
        )
        return {}
    if held:
        files = sorted({file for pattern in QUESTION_FILES for file in folder.glob(pattern)})
        if not files:
            left_out.append(f"{folder} is left out: its corpus has no questions (qa*.json or questions*.json).")
        return {_Place(name, held[0]): [("", file) for file in files]}
    found: dict[_Place, list[tuple[str, Path]]] = {}
    for child in sorted(folder.iterdir()) if levels else ():
        if child.is_dir() and not child.name.startswith("."):
            found.update(_question_files(child, f"{name}/{child.name}".lstrip("/"), levels - 1, left_out))
    crossed = f"{name}/{CROSS_CORPUS}".lstrip("/")
    target = next((place for place in found if place.name == crossed), None)
    for file in sorted(folder.glob(CROSS_FILES)):
        if target is None:
            left_out.append(f"{file} is left out: there is no corpus named {CROSS_CORPUS} beside it.")
        else:
            found[target].append((f"{name}/{file.stem}".lstrip("/"), file))
    return found


def _question_sets(
    corpus: str, files: list[tuple[str, Path]], limit: int, left_out: list[str]
) -> tuple[QuestionSet, ...]:
    usable = [(name, file, *scored) for name, file in files if (scored := _scored(file, left_out)) is not None]
    own = sum(not name for name, *_ in usable)
    return tuple(
        QuestionSet(name or (corpus if own == 1 else f"{corpus} {file.stem}"), measure, questions[: limit or None])
        for name, file, measure, questions in usable
    )


def _scored(file: Path, left_out: list[str]) -> tuple[Measure, tuple[EvalQuestion, ...]] | None:
    """Returns the questions of a file that can be scored, and their measure; None if there are none."""
    try:
        questions = read_suite_questions(file)
    except SourceError as error:
        left_out.append(f"{file} is left out: {error}")
        return None
    for measure, noted in _noted(questions):
        if noted:
            return measure, noted
    left_out.append(f"{file} is left out: no question in it has an answer, evidence or sources.")
    return None


def _noted(questions: tuple[EvalQuestion, ...]) -> Iterator[tuple[Measure, tuple[EvalQuestion, ...]]]:
    """Yields the questions that each measure can score, the most precise measure first."""
    yield Measure.RECALL, tuple(one for one in questions if one.evidence)
    yield Measure.FILES, tuple(one for one in questions if one.sources)
    yield Measure.COVERAGE, tuple(one for one in questions if one.answers)
