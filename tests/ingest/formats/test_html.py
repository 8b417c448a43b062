"""Web pages."""

from __future__ import annotations

import pytest
from ingest.formats.known_text import DOCUMENTS
from ingest.formats.reading import document, texts

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError

PAGE = """<html><head><meta charset="latin-1"><title>Garten – Meine Seite</title></head><body><nav><a href=1>Start</a></nav>
<main><h1>Garten</h1><p>Erster <b>Absatz</b> mit <i>Kursiv</i>em.<br>Zeile <!-- c --> zwei<ul><li>eins<ul><li>innen</ul>
<li>zwei</ul><h2>Preise</h2><table><tr><th>Was<th>Preis</tr><tr><td>Rose<td>3 €</tr></table>Danach.
<pre>x = 1
  y = 2</pre></main><footer>Copyright</footer></body>"""

DATED = ["Date: 2024-05-01; Amount: 12", "Date: 2024-05-02; Amount: 9"]


def test_a_page_in_blocks() -> None:
    read = document("html", PAGE.encode("cp1252"), "a.html")
    assert read.title == "Garten"
    assert [(block.kind.value, block.text) for block in read.blocks] == [
        ("heading", "Garten"),
        ("paragraph", "Erster Absatz mit Kursivem. Zeile zwei"),
        ("list_item", "eins"),
        ("list_item", "innen"),
        ("list_item", "zwei"),
        ("heading", "Preise"),
        ("table_row", "Was: Rose; Preis: 3 €"),
        ("paragraph", "Danach."),
        ("code", "x = 1\n  y = 2"),
    ]
    assert read.blocks[-1].headings == ("Preise",)


@pytest.mark.parametrize(
    ("title", "header", "article", "shown"),
    [
        ("Plums – Our Garden", "<h1>Our Garden</h1>", "<h1>Plums</h1>", "Plums"),
        ("Plums – Our Garden", "<h1>Our Garden</h1>", "<h2>Plums</h2>", "Plums – Our Garden"),
        ("Plums – Our Garden", "<h1>Plums</h1>", "", "Plums"),
        ("", "<h1>Plums</h1>", "", "Plums"),
    ],
)
def test_the_name_of_the_site_is_no_title(title: str, header: str, article: str, shown: str) -> None:
    page = f"<title>{title}</title><header>{header}</header><article>{article}<p>{'They are ripe. ' * 20}</p></article>"
    assert document("html", page, "a.html").title == shown


def test_a_heading_with_blocks_in_it_is_one() -> None:
    page = "<h2><div>Costs</div><div>of 2024</div></h2><p>The roof.</p>"
    heading, paragraph = document("html", page, "a.html").blocks
    assert (heading.kind, heading.text, paragraph.headings) == (BlockKind.HEADING, "Costs of 2024", ("Costs of 2024",))


def test_a_heading_that_nothing_closes_does_not_take_the_page() -> None:
    read = document("html", f"<h2>Costs<p>{'The roof is new. ' * 30}</p><p>It is red.</p>", "a.html")
    assert texts(read)[-1] == "It is red."


def test_the_frame_of_a_page_is_left_out() -> None:
    said = " ".join(texts(document("html", (DOCUMENTS / "orchard-saved.html").read_bytes(), "a.html")))
    for frame in ("Subscribe", "Sport", "privacy", "Most read", "Tweet", "Copyright", "Imprint"):
        assert frame not in said


def test_a_page_that_is_all_called_a_menu_keeps_its_text() -> None:
    page = "<body><div class=menu><p>Soup of the day, with bread.</p></div></body>"
    assert texts(document("html", page, "a.html")) == ["Soup of the day, with bread."]


def test_a_list_of_links_that_is_the_page_is_kept() -> None:
    items = "".join(f"<li><a href={n}>Link {n}</a></li>" for n in range(9))
    assert len(texts(document("html", f"<body><ul>{items}</ul></body>", "a.html"))) == 9


@pytest.mark.parametrize(
    "post", ["<article>{}</article>", "<div><article>{}</article></div>", "<div class=post-content>{}</div>"]
)
def test_all_posts_of_a_thread_are_read(post: str) -> None:
    said = ["How do I prune an old pear tree that has not been cut for ten years?", "In winter.", "Not in frost."]
    page = "<body><div><p>Forum</div><div>" + "".join(map(post.format, said)) + "</div></body>"
    assert texts(document("html", page, "a.html")) == said


def test_teasers_beside_an_article_are_left_out() -> None:
    teaser = "<article><a href=1>Plums are cheap</a></article>"
    page = f"<body><div><article>{'The pear tree blooms. ' * 9}</article>{teaser}</div></body>"
    assert "Plums" not in " ".join(texts(document("html", page, "a.html")))


def test_a_table_for_the_layout_gives_paragraphs() -> None:
    page = f"<table><tr><td>{'Long words. ' * 60}</td><td>Side</td></tr><tr><td>More</td><td>End</td></tr></table>"
    assert {block.kind for block in document("html", page, "a.html").blocks} == {BlockKind.PARAGRAPH}


@pytest.mark.parametrize(
    ("rows", "statements"),
    [
        ("<th>Name<td>Jane Doe<tr><th>Born<td>1 May 1980", ["Name: Jane Doe", "Born: 1 May 1980"]),
        ("<td>Name<td>Jane Doe<tr><td>Born<td>1 May 1980", ["Name: Jane Doe", "Born: 1 May 1980"]),
        ("<th colspan=2>Jane Doe<tr><th>Born<td>1 May 1980", ["Jane Doe", "Born: 1 May 1980"]),
        (
            "<th>Spring<td>tulips<td>crocus<tr><th>Summer<td>roses<td>lilies",
            ["Spring: tulips; crocus", "Summer: roses; lilies"],
        ),
        ("<th>Name<th>Born<tr><td>Jane<td>1980", ["Name: Jane; Born: 1980"]),
        ("<td><b>Name</b><td><b>Born</b><tr><td>Jane<td>1980", ["Name: Jane; Born: 1980"]),
        ("<td><strong><b>Name</b></strong><td><b>Born</b><tr><td>Jane<td>1980", ["Name: Jane; Born: 1980"]),
        ("<td>Date<td>Amount<tr><td>2024-05-01<td>12<tr><td>2024-05-02<td>9", DATED),
        ("<td><th>Rent<tr><th>Kiel<td>500", ["Kiel; Rent: 500"]),
        ("<td>Name<td>Born<td>Town<tr><td>Jane<td>1980<td>Kiel", ["Name: Jane; Born: 1980; Town: Kiel"]),
    ],
)
def test_a_cell_is_named_by_the_heading_of_its_column_or_row(rows: str, statements: list[str]) -> None:
    assert texts(document("html", f"<table><tr>{rows}</table>", "a.html")) == statements


@pytest.mark.parametrize(
    ("rows", "statements"),
    [
        (
            "<td rowspan=2>North<td>Kiel<td>500<tr><td>Husum<td>400<tr><td>South<td>Ulm<td>600",
            [
                "Region: North; City: Kiel; Rent: 500",
                "Region: North; City: Husum; Rent: 400",
                "Region: South; City: Ulm; Rent: 600",
            ],
        ),
        (
            "<td>North<td>Kiel<td rowspan=2>500<tr><td>West<td>Jever",
            ["Region: North; City: Kiel; Rent: 500", "Region: West; City: Jever; Rent: 500"],
        ),
        ("<td rowspan=2 colspan=2>All<td>500<tr><td>400", ["Region: All; Rent: 500", "Region: All; Rent: 400"]),
        (
            "<td rowspan=99999>North<td>Kiel<td>500<tbody><tr><td>South<td>Ulm<td>600",
            ["Region: North; City: Kiel; Rent: 500", "Region: South; City: Ulm; Rent: 600"],
        ),
    ],
)
def test_a_cell_that_covers_several_rows_is_said_in_each(rows: str, statements: list[str]) -> None:
    page = f"<table><tr><th>Region<th>City<th>Rent<tr>{rows}</table>"
    assert texts(document("html", page, "a.html")) == statements


def test_cells_that_cover_many_rows_are_not_repeated_without_end() -> None:
    cells = "".join(f"<td rowspan=1000>{'x' * 490}" for _ in range(49))
    page = f"<table><tr>{cells}<td>a</td>{'<tr><td>b' * 999}</table>"
    assert sum(map(len, texts(document("html", page, "a.html")))) < 3 << 20


def test_the_head_of_a_table_names_the_columns() -> None:
    page = "<table><thead><tr><td>Name<td>Born</thead><tr><td>Jane<td>1980</table>"
    assert texts(document("html", page, "a.html")) == ["Name: Jane; Born: 1980"]


@pytest.mark.parametrize("unit", ["<p>", "<li>", "<td>", "<span>x</span>", "&amp;", "<!--", "<", " a=1", "</div>", "'"])
def test_hostile_pages_take_no_time(unit: str) -> None:
    assert texts(document("html", f"<p>word{unit * 20_000}", "a.html"))[0].startswith("word")


@pytest.mark.parametrize("page", ["<div>" * 100_000, "<b>" * 100_000, f"<p{' a=1' * 1000}>"])
def test_nesting_without_end_is_told(page: str) -> None:
    with pytest.raises(DocumentError):
        document("html", page, "a.html")
