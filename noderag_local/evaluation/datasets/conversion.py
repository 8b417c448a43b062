"""Converts a data set into questions and a corpus, and writes both as the files that `noderag eval` reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import SourceError
from noderag_local.evaluation.datasets.dataset_files import DatasetEntry, Rejected, entries
from noderag_local.evaluation.datasets.dataset_format import DatasetFormat, FoundQuestion, UnusableEntry
from noderag_local.evaluation.datasets.multi_hop_sets import HIPPORAG, HOTPOTQA, MUSIQUE, TWO_WIKI
from noderag_local.evaluation.datasets.multihop_rag import MULTIHOP_RAG
from noderag_local.evaluation.datasets.own_json_lines import JSON_LINES
from noderag_local.evaluation.datasets.paragraph_pool import DatasetParagraph, ParagraphPool
from noderag_local.evaluation.datasets.ultradomain import ULTRADOMAIN
from noderag_local.evaluation.questions import question_of
from noderag_local.system.disk.private_files import make_private_folder, write_private

FORMATS = {one.name: one for one in (MUSIQUE, HOTPOTQA, TWO_WIKI, HIPPORAG, MULTIHOP_RAG, ULTRADOMAIN, JSON_LINES)}
"""Every format, by the name that the user types."""
QUESTIONS, CORPUS = "qa.json", "corpus.jsonl"

_WRONG_FORM = (LookupError, TypeError, AttributeError, ValueError)


@dataclass(frozen=True, slots=True)
class ConvertedDataset:
    """A data set in our form."""

    questions: Sequence[dict[str, object]]
    """Entries of `qa.json`."""
    pool: ParagraphPool
    """Paragraphs of `corpus.jsonl`."""
    rejected: Sequence[Rejected]
    """Entries that were left out."""


def convert(form: DatasetFormat, files: Sequence[Path], limit: int = 0) -> ConvertedDataset:
    """Converts a data set; entries that cannot be used are left out and told.

    The same files give the same result: paragraphs and questions keep the order of the files.

    Args:
        form: format of the files.
        files: files of the data set, as many as the format has.
        limit: only the first questions that can be used; 0 for all. Where the questions bring the paragraphs, only theirs.

    Raises:
        SourceError: a file cannot be read, or no question can be used.
    """
    pool, rejected = ParagraphPool(), list[Rejected]()
    if form.paragraph is not None:
        for line, paragraph in _paragraphs(form.name, form.paragraph, files[1], rejected):
            pool.add(paragraph, line)
    questions: list[dict[str, object]] = []
    numbers: dict[str, int] = {}
    for entry in entries(files[0]):
        if limit and len(questions) == limit:
            break
        made = entry if isinstance(entry, Rejected) else _question(form, entry, pool, numbers)
        if isinstance(made, Rejected):
            rejected.append(made)
        else:
            questions.append(made)
    if not questions:
        why = f" The first fault: {rejected[0].told}" if rejected else ""
        raise SourceError(f"{files[0]} has no question in the format {form.name}.{why} Choose another format or file.")
    return ConvertedDataset(questions, pool, rejected)


def _paragraphs(
    form: str, made: Callable[[Any], DatasetParagraph], path: Path, rejected: list[Rejected]
) -> Iterator[tuple[int, DatasetParagraph]]:
    """Yields the line and paragraph of each entry of a file, and adds the entries that give none to `rejected`."""
    for entry in entries(path):
        if isinstance(entry, Rejected):
            rejected.append(entry)
            continue
        try:
            paragraph = made(entry.value)
            if not paragraph.text:
                raise UnusableEntry("has an empty text")
        except UnusableEntry as error:
            rejected.append(_rejected(entry, str(error)))
        except _WRONG_FORM as error:
            rejected.append(_rejected(entry, _wrong_form(error, form)))
        else:
            yield entry.line, paragraph


def _question(
    form: DatasetFormat, entry: DatasetEntry, pool: ParagraphPool, numbers: dict[str, int]
) -> dict[str, object] | Rejected:
    """Returns the question of an entry and adds its paragraphs to the pool; neither if the entry cannot be used.

    Args:
        form: format of the entry.
        entry: the entry.
        pool: paragraphs so far.
        numbers: number of the entry of each question so far, by its id.
    """
    try:
        found = form.question(entry.value, pool)
        fields = {"id": str(entry.number), **found.fields}
        asked = question_of(fields)
        if not all(paragraph.text for paragraph in found.supports):
            raise UnusableEntry("needs a paragraph with an empty text")
        if asked.id in numbers:
            raise UnusableEntry(f"has the id {asked.id!r} of entry {numbers[asked.id]}")
    except UnusableEntry as error:
        return _rejected(entry, str(error))
    except _WRONG_FORM as error:
        return _rejected(entry, _wrong_form(error, form.name))
    numbers[asked.id] = entry.number
    for paragraph in found.paragraphs:
        if paragraph.text:
            pool.add(paragraph)
    return {**fields, **_supports(found, pool)}


def _supports(found: FoundQuestion, pool: ParagraphPool) -> dict[str, Any]:
    if not found.support_titles:
        return {}
    lines = {"support_lines": [pool.line(one) for one in found.supports]} if found.supports else {}
    return {"supports": list(found.support_titles), **lines}


def _rejected(entry: DatasetEntry, reason: str) -> Rejected:
    return Rejected(entry.path, entry.line, entry.number, reason)


def _wrong_form(error: Exception, form: str) -> str:
    if isinstance(error, KeyError):
        return f"has no field {error}, so it is not in the format {form}"
    return f"is not in the format {form}: {error}"


def write(converted: ConvertedDataset, folder: Path, *, replace: bool) -> tuple[Path, Path]:
    """Writes the questions and the corpus into a folder; returns the paths of both files.

    Args:
        converted: what is written.
        folder: is made if it does not exist.
        replace: whether files of the same names are replaced.

    Raises:
        SourceError: a file has one of the names, or the folder cannot be written to.
    """
    questions, corpus = folder / QUESTIONS, folder / CORPUS
    for path in (questions, corpus):
        if path.exists() and not replace:
            raise SourceError(f"{path} exists. Name another folder for --to, or give --force to replace the file.")
    lines = [json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in converted.pool]
    try:
        make_private_folder(folder)
        write_private(corpus, _encoded("".join(lines)))
        write_private(questions, _encoded(json.dumps(converted.questions, ensure_ascii=False, indent=1) + "\n"))
    except OSError as error:
        raise SourceError(f"{folder} cannot be written to: {error.strerror}. Name another folder for --to.") from error
    return questions, corpus


def _encoded(text: str) -> bytes:
    # JSON may escape half a character, which UTF-8 does not know; a question mark takes its place.
    return text.encode("utf-8", "replace")
