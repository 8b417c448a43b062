"""Word documents: what stands beside the body, and what a person does not see."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from ingest.formats.known_text import DOCUMENTS, extracted

from noderag_local.domain.documents import BlockKind
from noderag_local.domain.errors import DocumentError
from noderag_local.ingest.formats.office.docx import EXTRACTOR


def texts(path: Path) -> list[str]:
    return [block.text for block in extracted(path).blocks]


def saved(document: docx.document.Document, folder: Path) -> Path:
    path = folder / "a.docx"
    document.save(str(path))
    return path


def test_a_footnote_follows_its_paragraph() -> None:
    said = texts(DOCUMENTS / "known-libreoffice.docx")
    assert said[said.index("The broken bottles were paid for by the brewery in Rinteln.") - 1].endswith("in one night.")


def test_styles_of_ones_own_are_headings_by_what_they_are_based_on(tmp_path: Path) -> None:
    document = docx.Document()
    style = document.styles.add_style("Kapitel", 1)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("Die Presse", style="Kapitel")
    document.add_paragraph("Sie steht im Hof.")
    (heading, paragraph) = extracted(saved(document, tmp_path)).blocks
    assert heading.kind is BlockKind.HEADING
    assert paragraph.headings == ("Die Presse",)


def test_a_tracked_deletion_is_not_text_and_an_insertion_is(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The press ")
    paragraph = document.element.body[0]
    paragraph.append(parse_xml(f"<w:ins {nsdecls('w')} w:id='1' w:author='a'><w:r><w:t>stands</w:t></w:r></w:ins>"))
    paragraph.append(
        parse_xml(f"<w:del {nsdecls('w')} w:id='2' w:author='a'><w:r><w:delText>lay</w:delText></w:r></w:del>")
    )
    assert texts(saved(document, tmp_path)) == ["The press stands"]


def test_a_formula_is_read(tmp_path: Path) -> None:
    def run(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    power = f"<m:sSup><m:e>{run('c')}</m:e><m:sup>{run('2')}</m:sup></m:sSup>"
    half = f"<m:f><m:num>{run('1')}</m:num><m:den>{run('2')}</m:den></m:f>"
    document = docx.Document()
    document.add_paragraph("Energy is ")
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    document.element.body[0].append(
        parse_xml(f"<m:oMath xmlns:m='{math}'>{run('E=m')}{power}{run('+')}{half}</m:oMath>")
    )
    assert texts(saved(document, tmp_path)) == ["Energy is E=mc^(2)+(1)/(2)"]


def test_text_boxes_and_nested_tables_are_read(tmp_path: Path) -> None:
    document = docx.Document()
    run = f"<w:r {nsdecls('w')}><w:pict><w:txbxContent><w:p><w:r><w:t>Open on Sundays</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>"
    document.add_paragraph("The yard")
    document.element.body[0].append(parse_xml(run))
    table = document.add_table(2, 2)
    for row, column, text in ((0, 0, "Name"), (0, 1, "Trees"), (1, 0, "Anneke")):
        table.cell(row, column).text = text
        table.cell(row, column).paragraphs[0].runs[0].bold = row == 0
    table.cell(1, 1).add_table(1, 1).cell(0, 0).text = "44"
    assert texts(saved(document, tmp_path)) == ["The yard", "Open on Sundays", "Name: Anneke; Trees: 44"]


@pytest.mark.parametrize(
    ("style", "statements"),
    [
        ("Table Grid", ["Name: Jane Doe", "Phone: 555 0101"]),
        ("Light Shading", ["Name: Phone; Jane Doe: 555 0101"]),
    ],
)
def test_two_columns_are_names_and_values_unless_the_first_row_is_marked(
    style: str, statements: list[str], tmp_path: Path
) -> None:
    document = docx.Document()
    table = document.add_table(2, 2, style)
    for row, cells in enumerate((("Name", "Jane Doe"), ("Phone", "555 0101"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    assert texts(saved(document, tmp_path)) == statements
    table.rows[0]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {nsdecls('w')}/>"))
    assert texts(saved(document, tmp_path)) == ["Name: Phone; Jane Doe: 555 0101"]


def test_program_text_keeps_its_lines(tmp_path: Path) -> None:
    document = docx.Document()
    document.styles.add_style("Source Code", 1)
    for line in ("if ripe:", "    pick()"):
        document.add_paragraph(line, style="Source Code")
    document.add_paragraph("Done.")
    assert [(block.kind, block.text) for block in extracted(saved(document, tmp_path)).blocks] == [
        (BlockKind.CODE, "if ripe:\n    pick()"),
        (BlockKind.PARAGRAPH, "Done."),
    ]


def test_a_list_of_contents_is_left_out(tmp_path: Path) -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", 1)
    document.add_paragraph("The press 3", style="toc 1")
    document.add_paragraph("It stands.")
    assert texts(saved(document, tmp_path)) == ["It stands."]


def test_a_paragraph_may_be_taken_out_of_its_list(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("An item.", style="List Bullet")
    document.add_paragraph("No item.", style="List Bullet").paragraph_format.element.get_or_add_pPr().append(
        parse_xml(f"<w:numPr {nsdecls('w')}><w:numId w:val='0'/></w:numPr>")
    )
    kinds = [block.kind for block in extracted(saved(document, tmp_path)).blocks]
    assert kinds == [BlockKind.LIST_ITEM, BlockKind.PARAGRAPH]


def test_an_old_or_locked_file_says_so() -> None:
    with pytest.raises(DocumentError, match="locked by a password, or a document of Word before 2007"):
        list(EXTRACTOR.read(io.BytesIO(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)), "a.docx"))


def test_a_zip_that_is_no_document_says_so() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(DocumentError, match="damaged, or no file of this format"):
        list(EXTRACTOR.read(file, "a.docx"))
