"""Writes sheets.ods and slides.odp into the current folder, with the elements that LibreOffice 7.4 writes for such files."""

import zipfile

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for name, full in {
        "office": "office", "style": "style", "text": "text", "table": "table", "draw": "drawing", "presentation": "presentation",
        "svg": "svg-compatible", "fo": "xsl-fo-compatible", "meta": "meta", "number": "datastyle",
    }.items()
)  # fmt: skip
SPACES += (
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" office:version="1.3"'
)
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def cell(shown: str = "", kind: str = "string", more: str = "", inside: str = "") -> str:
    if not shown:
        return "<table:table-cell/>"
    value = f'office:value-type="{kind}" {more} calcext:value-type="{kind}"'
    return f"<table:table-cell {value}>{inside}<text:p>{shown}</text:p></table:table-cell>"


def row(*cells: str, filler: int = 0) -> str:
    """A row; LibreOffice fills it up to the last column with one cell that is repeated."""
    rest = f'<table:table-cell table:number-columns-repeated="{filler}"/>' if filler else ""
    return f'<table:table-row table:style-name="ro1">{"".join(cells)}{rest}</table:table-row>'


def empty(count: int) -> str:
    filler = '<table:table-cell table:number-columns-repeated="16384"/>'
    return f'<table:table-row table:style-name="ro1" table:number-rows-repeated="{count}">{filler}</table:table-row>'


def day(shown: str, value: str) -> str:
    return cell(shown, "date", f'office:date-value="{value}"')


def money(shown: str, value: str, formula: str = "") -> str:
    given = f'table:formula="of:={formula}" ' if formula else ""
    return cell(shown, "currency", f'{given}office:currency="EUR" office:value="{value}"')


def sheet(name: str, *rows: str) -> str:
    columns = '<table:table-column table:style-name="co1" table:number-columns-repeated="16384"/>'
    return f'<table:table table:name="{name}" table:style-name="ta1">{columns}{"".join(rows)}</table:table>'


NOTE = '<office:annotation office:display="false"><dc:date>2021-06-05T00:00:00</dc:date><text:p>ask again</text:p></office:annotation>'
COSTS = sheet(
    "Costs",
    row(cell("What the roof cost"), filler=16383),
    empty(1),
    row(*map(cell, ("Day", "What", "Amount", "Paid")), filler=16380),
    row(day("04.06.21", "2021-06-04"), cell("Timber", inside=NOTE), money("7.350,50 €", "7350.5"), cell("WAHR", "boolean", 'office:boolean-value="true"'), filler=16380),
    row(day("11.06.21", "2021-06-11"), cell("Tiles &amp; gutters"), cell(), cell("WAHR", "boolean", 'office:boolean-value="true"'), filler=16380),
    row(day("30.06.21 14:30", "2021-06-30T14:30:00"), cell("Carpenter <text:span>Möller</text:span>"), money("4.650,00 €", "4650"), cell("FALSCH", "boolean", 'office:boolean-value="false"'), filler=16380),
    row(cell(), cell("Sum"), money("12.000,50 €", "12000.5", "SUM([.C4:.C6])"), filler=16381),
    empty(1_048_569),
)  # fmt: skip
TREES = sheet(
    "Trees 2023",
    empty(1),
    row('<table:table-cell/>', *map(cell, ("Number", "Variety", "Grafted")), filler=16380),
    row('<table:table-cell/>', cell("17", "float", 'office:value="17"'), cell("Goldparmäne"), cell("1911", "float", 'office:value="1911"'), filler=16380),
    row('<table:table-cell/>', cell("44", "float", 'office:value="44"'), cell("Boskoop"), cell("1938", "float", 'office:value="1938"'), filler=16380),
    empty(1_048_572),
)  # fmt: skip


def frame(kind: str, *paragraphs: str, is_list: bool = False, more: str = "") -> str:
    items = [f"<text:p>{paragraph}</text:p>" for paragraph in paragraphs]
    if is_list:
        items = [
            f'<text:list text:style-name="L2"><text:list-item>{item}</text:list-item></text:list>' for item in items
        ]
    box = f"<draw:text-box>{''.join(items)}</draw:text-box>"
    return f'<draw:frame presentation:class="{kind}" presentation:user-transformed="true" {more} svg:width="25cm" svg:x="1cm">{box}</draw:frame>'


def notes(text: str) -> str:
    page = '<draw:page-thumbnail presentation:class="page" draw:page-number="1"/>'
    return f'<presentation:notes draw:style-name="dp2">{page}{frame("notes", text)}</presentation:notes>'


def slide(name: str, *shapes: str) -> str:
    return f'<draw:page draw:name="{name}" draw:style-name="dp1" draw:master-page-name="Default">{"".join(shapes)}</draw:page>'


TABLE = (
    '<draw:frame draw:style-name="standard" svg:width="20cm"><table:table table:template-name="default" table:use-first-row-styles="true"><table:table-column/><table:table-column/>'
    + "".join(
        f"<table:table-row><table:table-cell><text:p>{a}</text:p></table:table-cell><table:table-cell><text:p>{b}</text:p></table:table-cell></table:table-row>"
        for a, b in (("Variety", "Kilograms"), ("Boskoop", "5,104"), ("Ontario", "960"))
    )
    + '</table:table><draw:image xlink:href="Pictures/TablePreview1.svm"/></draw:frame>'
)
SHAPE = '<draw:g><draw:custom-shape svg:width="5cm"><text:p>Sold in <text:span>Rinteln</text:span></text:p></draw:custom-shape></draw:g>'
SLIDES = (
    slide(
        "page1",
        frame("title", "What we own"),
        frame("outline", "105 trees on one terrace", "A press of 1949", is_list=True),
        frame("footer", "The year of the orchard"),
        frame("page-number", "<text:page-number>1</text:page-number>"),
    ),
    slide("page2", frame("title", "What it brought in 2023"), TABLE, SHAPE),
    slide(
        "page3",
        frame("subtitle", "Click to add text", more='presentation:placeholder="true"'),
        '<draw:frame svg:width="5cm"><draw:text-box><text:p>The second terrace is planted in November 2025.</text:p></draw:text-box></draw:frame>',
        notes("Ask Jürgen Weißenfels for the photographs."),
    ),
)


def write(path: str, kind: str, body: str, title: str) -> None:
    content = f"{HEAD}<office:document-content {SPACES}><office:automatic-styles/><office:body>{body}</office:body></office:document-content>"
    meta = f"{HEAD}<office:document-meta {SPACES}><office:meta><dc:title>{title}</dc:title></office:meta></office:document-meta>"
    manifest = (
        f'{HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (
            ("mimetype", kind),
            ("content.xml", content),
            ("meta.xml", meta),
            ("META-INF/manifest.xml", manifest),
        ):
            archive.writestr(
                zipfile.ZipInfo(name), text, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            )


if __name__ == "__main__":
    opendocument = "application/vnd.oasis.opendocument"
    book = f"<office:spreadsheet>{COSTS}{TREES}<table:named-expressions/></office:spreadsheet>"
    write("sheets.ods", f"{opendocument}.spreadsheet", book, "Costs of the roof")
    write(
        "slides.odp",
        f"{opendocument}.presentation",
        f"<office:presentation>{''.join(SLIDES)}</office:presentation>",
        "The year of the orchard",
    )
