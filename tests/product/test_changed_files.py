"""A vault that follows its files: after any changes it is what a new vault of the same files would be."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from helpers.changing_notes import fresh_digest, index
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from noderag_local.storage.backup.digest import digest
from noderag_local.storage.backup.integrity import integrity
from noderag_local.storage.database.store import Store

SENTENCES = (
    "Anna Costa keeps the spare key in Vienna.",
    "Ben met anna costa on 3 May 2021.",
    "The garden of Anna needs water.",
    "See [[Garden|the plot]] and [[List]].",
    "International Business Machines (IBM) sold the garden.",
    "IBM bought a quiet river.",
    "A quiet river runs to Graz.",
    "milk and bread",
    "Milk and honey.",
    "Costa wrote to Graz.",
)
NAMES = ("Garden.md", "List.md", "trip.txt", "old/Garden.md", "old/ben.md", "zoe.md")
FRONT = ("", "---\ntitle: Garden\n---\n", "---\naliases: [List, Costa]\ntags: [home]\n---\n")

texts = st.builds(
    lambda front, lines: front + "\n\n".join(lines) + "\n",
    st.sampled_from(FRONT),
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5),
)
writes = st.tuples(st.just("write"), st.sampled_from(NAMES), texts)
removals = st.tuples(st.just("remove"), st.sampled_from(NAMES), st.just(""))
moves = st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from(NAMES))
links = st.tuples(st.just("link"), st.sampled_from(NAMES), st.sampled_from((*NAMES, "old", "new")))
rounds = st.lists(
    st.lists(st.one_of(writes, writes, removals, moves, links), min_size=1, max_size=4), min_size=2, max_size=5
)
lines = st.lists(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8), min_size=2, max_size=4)


NAME_LEFT = [
    [
        ("write", "zoe.md", "See [[List]]."),
        ("write", "List.md", FRONT[1] + SENTENCES[0]),
        ("write", "trip.md", FRONT[2] + SENTENCES[1]),
    ],
    [("move", "List.md", "old/ben.md")],
]
"""A note that moves leaves the name of its file, which another one has as an alias."""


def change(folder: Path, kind: str, name: str, what: str) -> None:
    path, other = folder / name, folder / what
    # Links may lead to themselves by now, and folders be where files were.
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        if kind == "write":
            path.write_text(what, encoding="utf-8")
        elif kind == "remove":
            path.unlink()
        elif kind == "link":
            path.symlink_to(other)
        else:
            other.parent.mkdir(exist_ok=True)
            path.replace(other)


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(rounds)
@example(NAME_LEFT)
def test_after_any_changes_it_equals_a_fresh_vault(steps: list[list[tuple[str, str, str]]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch) / "notes"
        notes.mkdir()
        # Of a folder in which nothing at all is left the vault keeps what it has.
        (notes / "picture.bmp").touch()
        with Store.open(Path(scratch) / "vault", write=True) as store:
            for step, changes in enumerate(steps):
                for kind, name, what in changes:
                    change(notes, kind, name, what)
                index(store, notes)
                assert digest(store) == fresh_digest(Path(scratch) / f"fresh-{step}", notes)
            assert [finding for finding in integrity(store) if not finding.ok] == []


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(lines)
def test_after_any_change_of_a_file_of_lines_it_equals_a_fresh_vault(versions: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.txt"
        with Store.open(Path(scratch) / "vault", write=True) as store:
            for step, paragraphs in enumerate(versions):
                corpus.write_text("\n".join(paragraphs) + "\n" * (step + 1), encoding="utf-8")
                index(store, corpus, by_lines=True)
                assert digest(store) == fresh_digest(Path(scratch) / f"fresh-{step}", corpus, by_lines=True)
