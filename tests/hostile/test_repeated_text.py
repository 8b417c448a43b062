"""Text that repeats itself without end is read like any other, within the second that a small file has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.parsed_document import MAX_BREADCRUMB_CHARACTERS, MAX_TITLE_CHARACTERS, Draft
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync.read_files import Wanted, read_drafts

LONG = 100_000
END = "\n\nThe lighthouse was built by Ada Quimby.\n"
REPEATED = {
    "blanks": " " * LONG,
    "tabs": "\t" * LONG,
    "blanks behind a word": "a" + " " * LONG + "a",
    "blanks of Unicode": "\u3000" * LONG,
    "lines of blanks": (" " * 99 + "\n") * (LONG // 100),
    "empty lines": "\n" * LONG,
    "form feeds": "\x0c" * LONG,
    "head and blanks": "# " + " " * LONG + "a",
    "head, blanks and signs": "# a" + " #" * (LONG // 2) + " a",
    "head of signs": "# a" + " " * LONG + "#",
    "quotes before a head": " >" * (LONG // 2) + " # a",
    "items before a head": "- " * (LONG // 2) + "# a",
    "numbers before a head": "1. " * (LONG // 3) + "# a",
    "link and blanks": "[a](" + " " * LONG,
    "links that are open": "[a](" * (LONG // 4),
    "link with a title that is open": "[a](b \"" * (LONG // 7),
    "brackets": "[" * LONG,
    "brackets in brackets": "[" * (LONG // 2) + "]" * (LONG // 2),
    "wiki links that are open": "[[a|" * (LONG // 4),
    "tags of HTML that are open": "<a " * (LONG // 3),
    "comments that are open": "<!--" * (LONG // 4),
    "ticks": "".join("`" * length + "a" for length in range(1, 440)),
    "stars": "*a **b " * (LONG // 7),
    "block comments": "%%\n" * 20_000,
    "table": "|a" * 3_000 + "\n" + "|-" * 3_000 + "\n" + ("|b" * 3_000 + "\n") * 20,
    "property": "title::" + " " * LONG,
    "numbers": "1\u202f" * (LONG // 2),
    "years": "1904, " * (LONG // 6),
    "full stops": "." * LONG,
    "questions": "?" * LONG + "a",
    "capitals": "Anna of " * (LONG // 8),
    "initials": "A. " * (LONG // 3),
    "quotation marks": "“" * LONG,
    "one word": "a" * LONG,
    "one sign": "あ" * LONG,
}  # fmt: skip


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as process:
        yield process


def drafts_of(path: Path, process: WorkerProcess, *, by_lines: bool = False) -> list[Draft]:
    wanted = Wanted(SourceFile(str(path), path.stat().st_size, 0), by_lines=by_lines)
    found = list(read_drafts(wanted, process))
    assert [one for one in found if isinstance(one, Skipped)] == []
    return [one for one in found if isinstance(one, Draft)]


@pytest.mark.parametrize("suffix", [".md", ".txt"])
@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_a_file_is_read_to_its_end(tmp_path: Path, process: WorkerProcess, text: str, suffix: str) -> None:
    path = tmp_path / f"note{suffix}"
    path.write_text(text + END, encoding="utf-8", newline="")
    (draft,) = drafts_of(path, process)
    assert "Ada Quimby" in draft.sentences[-1].sentence.text


@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED)
def test_lines_and_records_are_read_to_the_last(tmp_path: Path, process: WorkerProcess, text: str) -> None:
    text = text[: LONG // 2]
    lines, records = tmp_path / "lines.txt", tmp_path / "records.jsonl"
    lines.write_text(text + END, encoding="utf-8", newline="")
    records.write_text(
        f"{json.dumps({'text': text + END})}\n{' ' * LONG}\n{json.dumps({'text': END})}\n", encoding="utf-8"
    )
    assert "Ada Quimby" in drafts_of(lines, process, by_lines=True)[-1].sentences[-1].sentence.text
    assert "Ada Quimby" in drafts_of(records, process)[-1].sentences[-1].sentence.text


def test_long_headings_are_cut_where_they_stand_over_passages(tmp_path: Path, process: WorkerProcess) -> None:
    path = tmp_path / "note.md"
    chapters = "".join(f"### Part {number}\n\nText {number}.\n\n" for number in range(2_000))
    path.write_text(f"# {'Title ' * 9_000}\n\n## {'Chapter ' * 7_000}\n\n{chapters}", encoding="utf-8")
    (draft,) = drafts_of(path, process)
    assert len(draft.title) <= MAX_TITLE_CHARACTERS
    assert max(sum(map(len, one.headings)) for one in draft.sentences) <= MAX_BREADCRUMB_CHARACTERS
    assert draft.sentences[-1].headings[-1] == "Part 1999"
    assert sum(one.sentence.text.count("Chapter") for one in draft.sentences) == 7_000
