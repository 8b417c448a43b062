"""What a person reads of a Markdown note, and what else it tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.word_counter import read, sentences, texts

from noderag_local.domain.documents import BlockKind, Document, WikiLink


def note(tmp_path: Path, text: str, name: str = "a note.md") -> Document:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (document,), skipped = read(path)
    assert skipped == []
    return document


def test_front_matter_in_yaml(tmp_path: Path) -> None:
    text = '---\ntitle: Clara Schumann\naliases: [Clara Wieck, "C. S."]\ntags: "#music, people/pianist"\n---\nText.\n'
    document = note(tmp_path, text)
    assert document.title == "Clara Schumann"
    assert document.aliases == ("Clara Wieck", "C. S.")
    assert document.tags == ("music", "people/pianist")
    assert texts(document) == ["Text."]
    assert document.chunks[0].passage.first_line == 6


def test_front_matter_in_toml(tmp_path: Path) -> None:
    document = note(tmp_path, '+++\ntitle = "T"\ntags = ["a"]\n+++\nText.\n')
    assert (document.title, document.tags, texts(document)) == ("T", ("a",), ["Text."])


@pytest.mark.parametrize(
    ("lines", "day"),
    [
        ("date: 2026-05-03", "2026-05-03"),
        ("Date: 2026-05-03 22:30:00 +0200", "2026-05-03"),
        ("date: '2026-05-03T00:30:00+02:00'", "2026-05-03"),
        ('date: "[[2026-05-03]]"', "2026-05-03"),
        ("date:\n  - 2026-05-03", "2026-05-03"),
        ("datum: 2026-05-03", "2026-05-03"),
        ("fecha: 2026-05-03", "2026-05-03"),
        ("erstellt: 2026-05-03", "2026-05-03"),
        ("créé: 2026-05-03", "2026-05-03"),
        ("creado: 2026-05-03", "2026-05-03"),
        ("date created: 2026-05-03 08:00", "2026-05-03"),
        ("created_at: 2026-05-03T08:00:00Z", "2026-05-03"),
        ("created: 2026-05-01\ndate: 2026-05-03", "2026-05-03"),
        ("created: 2026-05-03\ndate: soon", "2026-05-03"),
        ("created: 2026-05-03\nupdated: 2026-05-20", "2026-05-03"),
        ("created: 2024-05-03\nupdated: 2026-05-20", ""),
        ("date: 2024-05-03\nupdated: 2026-05-20", "2024-05-03"),
        ("updated: 2026-05-03\nmodified: 2026-05-03\nlast-edited: 2026-05-03", ""),
        ("birthday: 2026-05-03", ""),
        ("date: 2026-02-30", ""),
        ("date: 0001-01-01", ""),
        ("date: [2026-05-03, 2026-05-04]", ""),
        ("date:\n  from: 2026-05-03", ""),
        ("date:", ""),
    ],
)
def test_front_matter_tells_the_day_of_a_note(tmp_path: Path, lines: str, day: str) -> None:
    assert note(tmp_path, f"---\n{lines}\n---\nText.\n").day == day


@pytest.mark.parametrize("value", ["2026-05-03", "2026-05-03T23:30:00-07:00", "2026-05-03 08:00:00", '"2026-05-03"'])
def test_front_matter_in_toml_tells_the_day_of_a_note(tmp_path: Path, value: str) -> None:
    assert note(tmp_path, f"+++\ndate = {value}\n+++\nText.\n").day == "2026-05-03"


def test_a_note_without_front_matter_tells_no_day(tmp_path: Path) -> None:
    assert note(tmp_path, "date: 2026-05-03\n\nText.\n").day == ""


def test_properties_in_front_matter_are_read_with_their_lines(tmp_path: Path) -> None:
    front = (
        "type: person\nbirthday: 1980-05-01\nphone: '0431 123'\nmother: \"[[Jane Doe]]\" \nlikes: [tea, figs]\n"
        'guests:\n  - Bob\n  - "[[Eve]]"\ntags: [family]\ncssclasses: wide\nempty:\ncreated: 2024-05-01\n'
        "kanban-plugin: basic\naddress:\n  street: Main Street\nsummary: |\n  Long.\nmotto: one\n  two\n"
    )
    document = note(tmp_path, f"---\n{front}---\nAnna is my sister.\n")
    assert texts(document) == [
        "type: person",
        "birthday: 1980-05-01",
        "phone: 0431 123",
        "mother: Jane Doe",
        "likes: tea, figs",
        "guests: Bob, Eve",
        "summary: Long.",
        "motto: one two",
        "Anna is my sister.",
    ]
    assert [one.passage.first_line for one in sentences(document)] == [2, 3, 4, 5, 6, 7, 17, 19, 22]
    assert sentences(document)[3].links == (WikiLink("Jane Doe", "Jane Doe"),)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('town: "M\\xFCnchen"', ["town: München"]),
        ("house: 'Anna''s house'", ["house: Anna's house"]),
        ("width: 3 # cm", ["width: 3"]),
        ('friends: ["[[A]]", "[[B|b]]"]', ["friends: A, b"]),
        ("guests:\n- Anna # mum\n\n- Bob", ["guests: Anna, Bob"]),
        ("people:\n- name: Anna\n- name: Bob", []),
        ("text: |\n  two\n  lines", []),
        ("createdAt: 2024-05-01", []),
        ("date: 2024-05-01", []),
    ],
)
def test_properties_say_what_they_mean(tmp_path: Path, line: str, shown: list[str]) -> None:
    assert texts(note(tmp_path, f"---\n{line}\n---\nText.\n")) == [*shown, "Text."]


def test_properties_in_toml_are_read_up_to_the_first_section(tmp_path: Path) -> None:
    document = note(tmp_path, '+++\nphone = "0431"\n[menu]\nphone = "none"\n+++\nText.\n')
    assert texts(document) == ["phone: 0431", "Text."]


@pytest.mark.parametrize("body", ["title: [unclosed", "a: b: c", "x: &a [*a"])
def test_broken_front_matter_stays_text_and_is_told(tmp_path: Path, body: str) -> None:
    path = tmp_path / "a note.md"
    path.write_text(f"---\n{body}\n---\nText.\n", encoding="utf-8")
    (document,), (told,) = read(path)
    assert document.title == "a note"
    assert texts(document)[-1] == "Text."
    assert len(texts(document)) > 1
    assert told.detail.startswith(f"{path}:1 has front matter that")
    assert not told.is_error


@pytest.mark.parametrize("body", ["- a list", "A line between two rules."])
def test_what_is_no_front_matter_is_text(tmp_path: Path, body: str) -> None:
    assert texts(note(tmp_path, f"---\n{body}\n---\nText.\n"))[-1] == "Text."


def test_title_is_front_matter_then_first_heading_then_file_name(tmp_path: Path) -> None:
    assert note(tmp_path, "## Two\n\n# One *and* only\n\n# Other\n").title == "One and only"
    assert note(tmp_path, "Just text.").title == "a note"


def test_footnotes_of_one_word_are_text_and_addresses_of_links_are_not(tmp_path: Path) -> None:
    text = "See it.[^1] Or [here][a].\n\n[^1]: Ibid.\n\n[^2]: https://a.example/b\n\n[a]: https://c.example\n"
    assert texts(note(tmp_path, text)) == ["See it.", "Or here.", "Ibid.", "https://a.example/b"]


def test_headings_are_sentences_and_the_breadcrumb(tmp_path: Path) -> None:
    long = "word " * 300
    document = note(
        tmp_path, f"# Title\n\n{long}\n\n## Life ##\n\n{long}\n\nYouth\n-----\n\n### A\n\n{long}\n\n## B\n\n{long}"
    )
    assert [text for text in texts(document) if len(text) < 20] == ["Title", "Life", "Youth", "A", "B"]
    assert [chunk.headings[-1:] for chunk in document.chunks if len(chunk.text) > 500][-1] == ("B",)
    assert ("Youth", "A") in [chunk.headings for chunk in document.chunks] or ("Youth",) in [
        chunk.headings for chunk in document.chunks
    ]
    assert all("Title" not in chunk.headings for chunk in document.chunks)


def test_links_labels_and_embeds(tmp_path: Path) -> None:
    text = (
        "See [[Robert Schumann#Life|Robert]], [[Bonn]] and [an essay](texts/Essay%20One.md#part).\n\n"
        "Not [a site](https://example.org/a.md) or [here](#part) or ![[photo.png]]. But ![[Embedded]].\n"
    )
    document = note(tmp_path, text)
    links = [link for sentence in sentences(document) for link in sentence.links]
    assert links == [
        WikiLink("Robert Schumann", "Robert"),
        WikiLink("Bonn", "Bonn"),
        WikiLink("texts/Essay One.md", "an essay"),
        WikiLink("Embedded", "Embedded"),
    ]
    assert texts(document)[0] == "See Robert, Bonn and an essay."
    assert texts(document)[1] == "Not a site or here or ."
    assert texts(document)[2] == "But Embedded."


def test_tags_stand_in_text_only(tmp_path: Path) -> None:
    text = "# Head #nothead\n\nA #tag and #nested/tag, (#also). Not `#code`, a#b, #123, https://x.org/#frag.\n\n```\n#no\n```\n"
    document = note(tmp_path, text)
    assert [tag for sentence in sentences(document) for tag in sentence.tags] == ["tag", "nested/tag", "also"]


def test_code_fences_are_whole(tmp_path: Path) -> None:
    document = note(tmp_path, "Text.\n\n```python\nx = 1\n\n# comment. Two sentences.\n```\n\n~~~\ntilde\n~~~\n")
    code = [sentence.text for sentence in sentences(document) if sentence.kind is BlockKind.CODE]
    assert code == ["```python\nx = 1\n\n# comment. Two sentences.\n```", "~~~\ntilde\n~~~"]


def test_a_very_long_fence_is_cut_at_line_ends(tmp_path: Path) -> None:
    document = note(tmp_path, "```\n" + "line of code\n" * 1000 + "```\n")
    code = [sentence.text for sentence in sentences(document)]
    assert len(code) > 3
    assert all(len(piece) <= 2000 and piece.endswith(("code", "```")) for piece in code)


@pytest.mark.parametrize("line", ["3. Mai 2025: Ausflug", "24. August 2025: Ausflug", "- 3. Mai 2025: Ausflug"])
def test_a_german_day_in_front_of_a_line_is_no_number_of_a_list(tmp_path: Path, line: str) -> None:
    assert texts(note(tmp_path, f"{line}\n")) == [line.removeprefix("- ")]
    assert texts(note(tmp_path, "3. August plans\n4. Maier called.\n")) == ["August plans", "Maier called."]


def test_tables_lists_and_quotes(tmp_path: Path) -> None:
    text = (
        "- one\n- [x] *two*, e.g. this. More of two.\n  1. nested\n     goes on\n\n> Quoted words\n> go on. End.\n\n"
        "| Work | Year |\n|:--|--:|\n| [[A\\|Piece]] | 1835 |\n"
    )
    found = [(sentence.kind, sentence.text) for sentence in sentences(note(tmp_path, text))]
    item, row, prose = BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.PARAGRAPH
    assert found == [
        (item, "one"),
        (item, "two, e.g. this."),
        (item, "More of two."),
        (item, "nested goes on"),
        (prose, "Quoted words go on."),
        (prose, "End."),
        (row, "Work | Year"),
        (row, "Piece | 1835"),
    ]


def test_markup_is_not_shown_but_lies_in_the_passage(tmp_path: Path) -> None:
    text = "**Bold sentence.** _Second &amp; <b>last</b>._ <!-- hidden --> 2*3*4 snake_case_name \\*plain\\* ==mark==\n"
    document = note(tmp_path, text)
    assert texts(document)[:2] == ["Bold sentence.", "Second & last."]
    assert "2*3*4 snake_case_name *plain* mark" in " ".join(texts(document))
    first = sentences(document)[0].passage
    assert text[first.start : first.end] == "**Bold sentence.**"


def test_comments_are_dropped(tmp_path: Path) -> None:
    document = note(tmp_path, "A.\n\n<!-- one\n\ntwo -->\n\n%%obsidian%% B.\n\n<script>\nx\n</script>\n")
    assert texts(document) == ["A.", "B."]


def test_deep_nesting_loses_no_text(tmp_path: Path) -> None:
    assert "inner" in " ".join(texts(note(tmp_path, "> " * 150 + "inner\n")))


@pytest.mark.parametrize(
    "unit", ["[", "[[", "`", "*", "<!--", "![](", "> ", "- ", "<a ", "&", "%%", "\\", "|", "_", "[a]("]
)
def test_hostile_lines_take_no_time(tmp_path: Path, unit: str) -> None:
    path = tmp_path / "a.md"
    path.write_text("word " + unit * 20_000 + " word", encoding="utf-8")
    documents, _ = read(path)
    assert len(documents) == 1
