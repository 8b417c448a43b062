"""Front matter that is odd or hostile costs its own fields at most: the note's text is read, and a line of the report says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from noderag_local.domain.documents import Skipped, SourceFile
from noderag_local.ingest.chunks.parsed_document import Draft
from noderag_local.ingest.sandbox.worker_process import WorkerProcess
from noderag_local.ingest.sync.read_files import Wanted, read_drafts

BODY = "The lighthouse was built by Ada Quimby."

ODD = {
    "bool that is none": "x: !!bool y",
    "timestamp that is none": "x: !!timestamp soon",
    "float that is none": 'x: !!float ""',
    "int that is none": "x: !!int many",
    "binary that is none": "x: !!binary ='",
    "object of Python": "x: !!python/object/apply:os.system ['true']",
    "unknown tag": "x: !secret 3",
    "date that is none": "created: 2024-13-45",
    "date of the year 0": "created: 0000-00-00",
    "integer of 6,000 digits": "x: " + "1" * 6000,
    "integer of 6,000 hexadecimal digits": "x: 0x" + "f" * 6000,
    "integer in base 60": "x: " + "1" + ":59" * 3000,
    "merge bomb": "a: &a {k: v}\n"
    + "\n".join(
        f"{b}: &{b}\n  <<: [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefghij", "bcdefghijk", strict=True)
    ),
    "merge of nothing": "<<: 3",
    "alias bomb": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "\n".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefghij", "bcdefghijk", strict=True)),
    "mapping as key": "? {a: b}\n: c",
    "sequence as key": "? [a, b]\n: c",
    "title that is a mapping": "title: {a: b}",
    "tags of all kinds": "tags: [1, 2.5, null, [a], {b: c}, 2024-01-01, !!bool x]",
    "many aliases of a long text": f"x: &a {'long ' * 5_000}\n" + "\n".join(f"y{at}: *a" for at in range(99)),
    "alias to nothing": "x: *a",
    "alias to itself": "x: &a [*a]",
    "key twice": "title: a\ntitle: b",
    "value that is a document": "x: |\n  ---\n  y: z",
}
"""Fields that mean something else than they say; they are fields all the same."""

UNREADABLE = {
    "deep sequences": "x: " + "[" * 40_000,
    "deep mappings": "x: " + "{a: " * 12_000,
    "deep blocks": "x:\n" + "\n".join(" " * depth + "- a:" for depth in range(1, 330)),
    "aliases without end": "x: &a " + "long " * 3000 + "\ntags: [" + "*a, " * 12_000 + "]",
    "values without end": "x: [" + "1," * 30_000 + "]",
    "tab": "x:\n\ty: z",
    "unclosed quote": 'x: "' + "\\" * 9,
    "control character": "x: \x01",
    "longer than it may be": "x: y\n" * 20_000,
}

UNREADABLE_TOML = {
    "title of 6,000 hexadecimal digits": "title = 0x" + "f" * 6000,
    "number of 6,000 digits": "title = " + "1" * 6000,
    "tags of 6,000 hexadecimal digits": "tags = [0x" + "f" * 6000 + "]",
    "date that is none": "created = 2024-13-45",
    "deep arrays": "x = " + "[" * 40_000,
    "deep tables": "x = " + "{a = " * 9_000,
    "key of many parts": "a" + ".a" * 32_000 + " = 1",
    "key of many quoted parts": '"="' + '."="' * 12_000 + " = 1",
    "header of many parts": "x = 1\n[a" + ".a" * 31_000 + "]",
    "inner key of many parts": "x = {a" + ".a" * 31_000 + " = 1}",
    "key twice": "a = 1\na = 2",
    "control character": 'x = "\x01"',
    "unclosed string": 'x = """' + '"" ' * 15_000,
}


@pytest.fixture(scope="module")
def process() -> Iterator[WorkerProcess]:
    with WorkerProcess() as process:
        yield process


def read(folder: Path, process: WorkerProcess, fence: str, matter: str) -> tuple[Draft, list[Skipped]]:
    """The one document of a note with this front matter, and what is told of it."""
    path = folder / "note.md"
    path.write_text(f"{fence}\n{matter}\n{fence}\n\n{BODY}\n", encoding="utf-8")
    found = list(read_drafts(Wanted(SourceFile(str(path), path.stat().st_size, 0)), process))
    (draft,) = [one for one in found if isinstance(one, Draft)]
    return draft, [one for one in found if isinstance(one, Skipped)]


@pytest.mark.parametrize("matter", ODD.values(), ids=ODD)
def test_odd_values_are_texts_or_nothing(tmp_path: Path, process: WorkerProcess, matter: str) -> None:
    draft, told = read(tmp_path, process, "---", matter)
    texts = [one.sentence.text for one in draft.sentences]
    assert texts[-1] == BODY
    assert sum(map(len, texts)) <= len(BODY) + 2 * len(matter)
    assert told == []


@pytest.mark.parametrize(
    ("fence", "matter"),
    [*(("---", matter) for matter in UNREADABLE.values()), *(("+++", matter) for matter in UNREADABLE_TOML.values())],
    ids=[*UNREADABLE, *(f"TOML {name}" for name in UNREADABLE_TOML)],
)
def test_what_cannot_be_read_is_told_and_the_text_is_read(
    tmp_path: Path, process: WorkerProcess, fence: str, matter: str
) -> None:
    draft, (told,) = read(tmp_path, process, fence, matter)
    assert draft.sentences[-1].sentence.text == BODY
    assert "has front matter that" in told.detail
    assert not told.is_error


def test_long_values_of_toml_are_read(tmp_path: Path, process: WorkerProcess) -> None:
    draft, told = read(tmp_path, process, "+++", f'title = "Roses. {"a.b " * 40}"\ntags = ["garden"]\nx.y.z = 1.5')
    assert (draft.tags, told) == (("garden",), [])


def test_an_alias_of_a_text_is_the_text(tmp_path: Path, process: WorkerProcess) -> None:
    draft, told = read(tmp_path, process, "---", "x: &name Roses\ntitle: *name\ntags: [*name, 2024]\naliases: ~")
    assert (draft.title, draft.tags, draft.aliases, told) == ("Roses", ("Roses", "2024"), (), [])
