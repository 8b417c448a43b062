"""What Obsidian and Logseq write into Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.word_counter import read, sentences, texts
from ingest.readers.test_markdown import note

from noderag_local.domain.documents import Document, WikiLink
from noderag_local.ingest.formats.text.note_metadata import note_names
from noderag_local.ingest.scan.scan import scan

BLOCK = "663a1e5c-0001-4abc-8def-0123456789ab"


def links(document: Document) -> list[WikiLink]:
    return [link for sentence in sentences(document) for link in sentence.links]


def placed(tmp_path: Path, name: str, text: str) -> Document:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (document,), _ = read(path)
    return document


def test_block_references_of_obsidian(tmp_path: Path) -> None:
    document = note(tmp_path, "See [[Note#^ab12]] and [[#^cd34]].\n\nA quoted block. ^ef-56\n")
    assert texts(document) == ["See Note and .", "A quoted block."]
    assert links(document) == [WikiLink("Note", "Note")]


def test_block_references_of_logseq_lead_to_the_note_that_holds_the_block(tmp_path: Path) -> None:
    asked = note(tmp_path, f"- See (({BLOCK})) here.\n- {{{{embed (({BLOCK}))}}}}\n- {{{{embed [[Page]]}}}}\n")
    assert texts(asked) == ["See here.", "Page"]
    assert links(asked)[0] == WikiLink(BLOCK, BLOCK)
    holder = note(tmp_path, f"- A block\n  id:: {BLOCK}\n  collapsed:: true\n- Other\n")
    assert holder.aliases == (BLOCK,)
    assert texts(holder) == ["A block", "Other"]


def test_page_properties_of_logseq(tmp_path: Path) -> None:
    document = note(tmp_path, "title:: The garden\nalias:: Garden, [[Plot]]\ntags:: [[green]], #home\n\n- Text.\n")
    assert (document.title, document.aliases, document.tags) == ("The garden", ("Garden", "Plot"), ("green", "home"))
    assert texts(document) == ["Text."]


def test_other_properties_are_text(tmp_path: Path) -> None:
    document = note(tmp_path, "- A book\n  author:: [[Jane Doe]]\n\nRated (rating:: 9) today.\n")
    assert texts(document) == ["A book author: Jane Doe", "Rated (rating: 9) today."]


def test_tags_of_several_words(tmp_path: Path) -> None:
    document = note(tmp_path, "Seen #[[in the wild]] today.\n")
    assert texts(document) == ["Seen in the wild today."]
    assert sentences(document)[0].tags == ("in the wild",)


def test_callouts_show_their_title_and_text(tmp_path: Path) -> None:
    assert texts(note(tmp_path, "> [!warning]- Mind the step\n> It is high.\n")) == ["Mind the step", "It is high."]


def test_comments_over_many_lines_are_left_out_but_not_from_code(tmp_path: Path) -> None:
    document = note(tmp_path, "A.\n\n%%\nhidden\n\n# hidden too\n%%\n\nB.\n\n```matlab\n%%\nx\n%%\n```\n")
    assert texts(document) == ["A.", "B.", "```matlab\n%%\nx\n%%\n```"]
    assert sentences(document)[1].passage.first_line == 9


@pytest.mark.parametrize(
    ("path", "title", "aliases"),
    [
        ("journals/2024_05_01.md", "2024-05-01", ("2024-05-01", "May 1st, 2024")),
        ("daily/2024-05-22.md", "2024-05-22", ("2024-05-22",)),
        ("20240523.md", "2024-05-23", ("2024-05-23",)),
        ("journals/2024_13_01.md", "2024_13_01", ()),
        ("pages/Garden___Roses.md", "Garden/Roses", ("Roses",)),
        ("pages/Garden%2FRoses.md", "Garden/Roses", ("Roses",)),
        ("a note.md", "a note", ()),
    ],
)
def test_names_of_notes(path: str, title: str, aliases: tuple[str, ...]) -> None:
    names = note_names(path)
    assert (names.title, names.aliases) == (title, aliases)


def test_a_daily_note_with_a_heading_is_still_known_by_its_day(tmp_path: Path) -> None:
    document = placed(tmp_path, "journals/2024_05_03.md", "# A good day\n\nRain.\n")
    assert (document.title, document.aliases) == ("A good day", ("2024-05-03", "May 3rd, 2024"))


def test_what_the_programs_keep_for_themselves_is_left_out(tmp_path: Path) -> None:
    for name in (
        ".obsidian/a.md",
        ".trash/b.md",
        "logseq/bak/pages/c.md",
        "logseq/.recycle/d.md",
        "pages/e.md",
        "bak/f.md",
    ):
        placed(tmp_path, name, "Text.")
    assert [Path(file.path).name for file in scan([tmp_path], 1000).files] == ["f.md", "e.md"]


@pytest.mark.parametrize("unit", ["((", "{{embed ", "id:: ", "%%\n", "^a ", "a:: ", "#[[", "#+BEGIN_A "])
def test_hostile_lines_take_no_time(tmp_path: Path, unit: str) -> None:
    assert note(tmp_path, "word " + unit * 20_000 + " word")
