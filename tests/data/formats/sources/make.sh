#!/usr/bin/env bash
# Makes the office documents, books and PDFs of the folder above anew from the sources in this one.
# Needs pandoc, LibreOffice (writer, impress, calc), WeasyPrint, groff, the DejaVu and Noto CJK fonts; and openpyxl, Pillow and
# python-docx in the Python that is called.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
office() { # office FILE FORMAT
    soffice --headless --convert-to "$2" --outdir "$work/office" "$1" >/dev/null 2>&1
}
plain_html() { # plain_html STYLE: Markdown on standard input as a page with one style sheet
    pandoc -s -f markdown -t html5 | python3 -c '
import pathlib, re, sys
style = pathlib.Path(sys.argv[1]).read_text()
print(re.sub("<style>.*?</style>", f"<style>{style}</style>", sys.stdin.read(), flags=re.S))' "$1"
}

for format in docx odt epub rtf; do
    pandoc -s sources/known.md -o "known-pandoc.$format"
done
pandoc sources/slides.md -o slides-pandoc.pptx
python3 sources/sheets.py
python3 sources/opendocument.py
python3 sources/zotero.py
python3 sources/photo.py

# LibreOffice, from what pandoc wrote; one font and no bold, so that the PDF stays small.
office known-pandoc.odt fodt
sed -E 's/(style:font-name|svg:font-family)="[^"]*"/\1="DejaVu Sans"/g; s/fo:font-weight="bold"//g; s/fo:font-style="italic"//g' \
    "$work/office/known-pandoc.fodt" >"$work/known-libreoffice.fodt"
for format in docx odt rtf epub 'pdf:writer_pdf_Export:{"UseTaggedPDF":{"type":"boolean","value":"false"}}'; do
    office "$work/known-libreoffice.fodt" "$format"
done
cp "$work"/office/known-libreoffice.{docx,odt,rtf,epub,pdf} .
printf 'A secret.\n' >"$work/locked.txt"
office "$work/locked.txt" 'pdf:writer_pdf_Export:{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"apple"}}'
cp "$work/office/locked.pdf" unreadable/
office slides-pandoc.pptx odp
cp "$work/office/slides-pandoc.odp" "$work/slides-libreoffice.odp"
office "$work/slides-libreoffice.odp" pptx
cp "$work/office/slides-libreoffice.pptx" .
cp sheets-openpyxl.xlsx "$work/sheets-libreoffice.xlsx"
office "$work/sheets-libreoffice.xlsx" xlsx
cp "$work/office/sheets-libreoffice.xlsx" .

# WeasyPrint (pango, pydyf) and groff (gropdf): two columns, hyphens, running heads; without the two lines in CJK fonts.
sed -E 's/ 美しいりんご//; s/ 苹果园在河边。//' sources/known.md >"$work/latin.md"
plain_html sources/two-columns.css <"$work/latin.md" >"$work/two.html"
plain_html sources/small-pages.css <"$work/latin.md" >"$work/small.html"
weasyprint -O all "$work/two.html" known-two-columns.pdf
weasyprint -O all "$work/small.html" known-small-pages.pdf
pandoc "$work/latin.md" -s -t ms -V fontfamily=T | sed 's/^\.1C$//' |
    awk '/^\.(SH|NH)/ && !done { print ".2C"; done = 1 } { print }' | groff -k -Tpdf -ms -t >known-groff.pdf 2>/dev/null
weasyprint -O all sources/pictures.html pictures.pdf
