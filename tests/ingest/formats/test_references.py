"""BibTeX and RIS: works with their people, dates and lines, and what damaged entries cost."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, documents, lines, texts

from noderag_local.domain.documents import WikiLink
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.references.bibtex import shown
from noderag_local.ingest.formats.references.bibtex_entries import EntryParser
from noderag_local.ingest.formats.references.reference import Creator, Reference, creator


def test_entries_are_documents_with_their_lines() -> None:
    frost, apples, grafting = documents("bibtex", (DOCUMENTS / "orchard.bib").read_bytes(), "orchard.bib")
    assert frost.title == "Late Frost in Orchards"
    assert texts(frost) == [
        "“Late Frost in Orchards”: journal article by Mara Lind and Amara Okafor, in Journal of Pomology 30, 2017-06.",
        "Pages: 11–19.",
        "File: Lind and Okafor - 2017 - Late frost in orchards.pdf.",
        "Abstract",
        "Blossoms die at -2 degrees. Sprinklers save most of them.",
    ]
    assert frost.tags == ("late frost", "fruit trees")
    assert frost.aliases == ("lind2017", "@lind2017")
    stem = "Lind and Okafor - 2017 - Late frost in orchards"
    assert frost.blocks[2].links == (WikiLink(stem, stem),)
    assert set(lines(frost)) == {(6, 16)}
    assert texts(apples) == [
        "“Über die Äpfel von Rinteln”: book by Jürgen Möller, Gesellschaft für Obst, Baum and Garten and Ana de la Cruz Jr., 1999.",
        "Publisher: Weser Verlag; Place: Rinteln.",
        "Note",
        "Read on the train.",
        "Lent to Paula Reinke.",
    ]
    assert texts(grafting)[0] == "“Grafting”: book chapter by Tomás Ruiz, in Über die Äpfel von Rinteln, 1999."


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"M{\"o}ller and \'Eva", "Möller and Éva"),
        (r"{\O}rsted {\ss} \c{c} \v{S}koda", "Ørsted ß ç Škoda"),
        ("the {DNA} of pp.~3--5 --- all", "the DNA of pp. 3–5 — all"),
        (r"100\,\% of \emph{Malus}", "100 % of Malus"),
        (r"$x_1$ and \alpha", "x_1 and α"),
        (r"\unknown{word} and \broken{", "word and"),
        ("one\nline\n\nnext", "one line\n\nnext"),
    ],
)
def test_commands_of_latex_are_signs(written: str, read: str) -> None:
    assert " ".join(shown(written).split(" ")) == read


@pytest.mark.parametrize(
    ("written", "name", "last"),
    [
        ("Mara Lind", "Mara Lind", "Lind"),
        ("Lind, Mara", "Mara Lind", "Lind"),
        ("de la Cruz, Ana", "Ana de la Cruz", "de la Cruz"),
        ("Lind, Jr., Mara", "Mara Lind Jr.", "Lind"),
        ("Lind", "Lind", "Lind"),
        ("Lind,", "Lind,", "Lind,"),
    ],
)
def test_people_are_named_first_name_first(written: str, name: str, last: str) -> None:
    assert creator(written) == Creator(name, last)


def test_a_work_is_called_as_texts_cite_it() -> None:
    people = [creator(name) for name in ("Mara Lind", "Amara Okafor", "Tomás Ruiz")]
    assert [Reference("T", creators=tuple(people[:count]), date="2017-06").short_form for count in range(4)] == [
        "T",
        "Lind 2017",
        "Lind & Okafor 2017",
        "Lind et al. 2017",
    ]
    assert Reference("T", creators=(Creator("A B", "B", "editor"),)).short_form == "B"


def test_a_paper_of_thousands_of_authors_names_fifty() -> None:
    authors = " and ".join(f"Physicist{number}, A." for number in range(3000))
    (said,) = texts(document("bibtex", f"@article{{a, title = {{Boson}}, author = {{{authors}}}}}", "a.bib"))
    assert said.endswith("A. Physicist49 and 2950 others.")


def test_a_damaged_entry_costs_itself_and_is_named() -> None:
    text = (
        "@book{a, title = {Sound}}\n@book{b, title = {No end\n@book{c,\n title = {Sound, too}}\n@book{no key at all}\n"
    )
    read = documents("bibtex", text, "a.bib")
    assert [found.title for found in read if found.blocks] == ["Sound", "Sound, too"]
    assert [notice for found in read for notice in found.notices] == [
        "the entry in line 2 has a value without a closing brace or quote",
        "the entry in line 5 has no citation key",
    ]


def test_words_that_stand_for_others_are_not_joined_without_end() -> None:
    text = '@string{a0 = "' + "x" * 1000 + '"}\n'
    text += "".join(f"@string{{a{n} = {' # '.join([f'a{n - 1}'] * 10)}}}\n" for n in range(1, 12))
    (found,) = documents("bibtex", f"{text}@book{{k, title = a11}}\n", "a.bib")
    assert sum(map(len, texts(found))) < 2_000_000


def test_comments_and_text_between_entries_are_left_out() -> None:
    text = "Notes of mine.\n@comment{jabref-meta: x}\n@preamble{ {\\newcommand{x}} }\n@misc(a, title = 12)\n"
    (found,) = documents("bibtex", text, "a.bib")
    assert texts(found) == ["“12”: work."]


def test_ris_is_read_like_bibtex() -> None:
    frost, trees = documents("ris", (DOCUMENTS / "orchard.ris").read_bytes(), "orchard.ris")
    assert texts(frost) == [
        "“Frost in the orchard”: journal article by Mara Lind and Jonas Brandt, in Journal of Pomology, 2017-06-12.",
        "Volume: 3; Pages: 10–12; Address: https://a.example/x.",
        "Abstract",
        "Late frost harms blossoms. It comes in May.",
        "Note",
        "Cited by Okafor.",
    ]
    assert (frost.tags, set(lines(frost))) == (("frost",), {(1, 15)})
    assert texts(trees) == ["“Trees”: book by Amara Okafor."]


def test_text_without_a_reference_is_no_ris() -> None:
    with pytest.raises(DocumentError, match='no line "TY'):
        documents("ris", "AU  - Lind\n", "a.ris")


def test_a_value_of_many_pieces_takes_no_longer_for_each() -> None:
    """Counted anew for each piece, these would take a quarter of an hour."""
    many = 200_000
    (entry,) = EntryParser(f"@book{{key, title = {'x # ' * many}x}}\n").entries()
    assert entry.fields["title"] == "x" * (many + 1)


def test_a_value_of_many_lines_takes_no_longer_for_each() -> None:
    many = 1_000_000
    text = "TY  - JOUR\nTI  - Frost\nAB  - begins\n" + "on\n" * many + "ER  - \n"
    read = document("ris", text, "a.ris")
    assert read.blocks[-1].text.count("on") == many


def test_an_organisation_of_many_words_takes_no_longer_for_each() -> None:
    many = 100_000
    text = f'@book{{key, title = {{Frost}}, author = "\\{{Ice{" and ice" * many}"}}\n'
    read = document("bibtex", text, "a.bib")
    assert read.blocks[0].text.count("ice") == many
