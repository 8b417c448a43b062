"""Files that hold a canary, one for each place in which a word of a note can stand."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

LETTERS = "qxzjvkw"
"""Of canaries: no word of a language has eight of these in a row, so that any piece of a canary is known as one."""
HAN = "".join(map(chr, range(0x3400, 0x3440)))
CYRILLIC = "".join(map(chr, range(0x0461, 0x0480, 2)))


def canary(chance: random.Random, letters: str = LETTERS) -> str:
    """A word that stands nowhere else."""
    return "".join(chance.choices(letters, k=14))


def _plain(kind: str) -> str:
    return f"The harbour of {kind} was quiet on that day, as Ada Berg wrote."


def _markdown(text: str, title: str = "Notes on {kind}") -> Callable[[str, str], str]:
    return lambda kind, word: "\n\n".join(
        [f"# {title.format(kind=kind, w=word, W=word.title())}", _plain(kind), text.format(w=word, W=word.title())]
    )


def _front(matter: str) -> Callable[[str, str], str]:
    def written(kind: str, word: str) -> str:
        return f"---\n{matter.format(w=word, W=word.title())}\n---\n# Notes on {kind}\n\n{_plain(kind)}\n\nSee above.\n"

    return written


def _text(body: str) -> Callable[[str, str], str]:
    return lambda kind, word: body.replace("PLAIN", _plain(kind)).replace("KIND", kind).replace("WORD", word)


_MET = "In Vienna {W} met Ada Berg on 3 May 2021. The {w} was new."
_MAIL = "From: A <a@example.org>\nTo: b@example.org\nSubject: About KIND\nDate: Mon, 3 May 2021 10:00:00 +0000\n"
_ICS = "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:KIND\nDTSTART:20210503T100000Z\nSUMMARY:{}\nDESCRIPTION:PLAIN\nLOCATION:{}\nEND:VEVENT\nEND:VCALENDAR\n"
_CUES = "1\n00:00:01,000 --> 00:00:04,000\nPLAIN\n\n2\n00:00:05,000 --> 00:00:09,000\nThen WORD came.\n"
_HTML = "<html><head><title>{}</title></head><body><h1>{}</h1><p>PLAIN</p><p>{}</p><table><tr><td>a</td><td>{}</td></tr></table></body></html>"
_NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def _notebook(cell: str) -> Callable[[str, str], str]:
    def written(kind: str, word: str) -> str:
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": [f"# Notes on {kind}\n", _plain(kind)]},
            {
                "cell_type": cell,
                "metadata": {},
                "source": [f"value = 'the {word} came'"],
                "outputs": [],
                "execution_count": 1,
            },
        ]
        return json.dumps({**_NOTEBOOK, "cells": cells})

    return written


def _lines(*records: dict[str, str]) -> Callable[[str, str], str]:
    return _text("\n".join(json.dumps(record) for record in records) + "\n")


TEXTS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    "body": ("md", _markdown(_MET)),
    "title": ("md", _markdown("See above.", "{W} of {kind}")),
    "heading": ("md", _markdown("## The {W}\n\nBelow it.")),
    "deep heading": ("md", _markdown("## A\n\n### B\n\n#### The {w}\n\nBelow it.")),
    "front matter title": ("md", _front("title: {W}")),
    "front matter tags": ("md", _front("tags: [{w}, travel]")),
    "front matter aliases": ("md", _front("aliases: [The {W}]")),
    "front matter field": ("md", _front("author: {W}\nsubject: {w}")),
    "tag": ("md", _markdown("About #{w} and #travel/{w}.")),
    "link target": ("md", _markdown("See [[{W}]] there.")),
    "link label": ("md", _markdown("See [[Porto|{W}]] there.")),
    "web link text": ("md", _markdown("See [the {W}](https://example.org/) there.")),
    "web link address": ("md", _markdown("See [this](https://example.org/{w}) there.")),
    "picture": ("md", _markdown("![a picture of {w}](porto.png) there.")),
    "code block": ("md", _markdown("```python\n{w} = 1\n```")),
    "inline code": ("md", _markdown("Call `{w}()` twice.")),
    "table cell": ("md", _markdown("| a | b |\n| --- | --- |\n| one | {W} |")),
    "table head": ("md", _markdown("| a | {W} |\n| --- | --- |\n| one | two |")),
    "list": ("md", _markdown("- one\n- the {w}\n- three")),
    "task": ("md", _markdown("- [ ] call {W}\n- [x] done")),
    "quotation": ("md", _markdown("> {W} said so.")),
    "footnote": ("md", _markdown("It is so.[^1]\n\n[^1]: As {W} wrote.")),
    "emphasis": ("md", _markdown("It was **{W}** and *not* ==Ben==.")),
    "definition": ("md", _markdown("{W} (QXZ) is the name of it. QXZ came.")),
    "call sign": ("md", _markdown("Ada Berg, called {W}, came. {W} sang.")),
    "date line": ("md", _markdown("## 2021-05-03\n\n{W} came at noon.")),
    "mail address": ("md", _markdown("Write to {w}@example.org soon.")),
    "capitals": ("md", _markdown("THE {w} CAME TO VIENNA.")),
    "possessive": ("md", _markdown("It was {W}'s house.")),
    "hyphens": ("md", _markdown("The {w}-house and the re-{w} came.")),
    "number in it": ("md", _markdown("Room {w}42 and v{w}.1 were shut.")),
    "mathematics": ("md", _markdown("Where $x = {w}$ holds.")),
    "comment": ("md", _markdown("%%{w}%% came.\n\nThe {W} too.")),
    "html in it": ("md", _markdown("<b>{W}</b> came.")),
    "long line": ("md", _markdown("Ada came. " * 300 + "Then {W} came.")),
    "twice": ("md", _markdown("{W} came. {W} went.\n\n{W} came again.")),
    "two names": ("md", _markdown("{W} Berg met Ben {W} in Porto.")),
    "underlined heading": ("md", _markdown("The {W}\n-------\n\nBelow it.")),
    "nested list": ("md", _markdown("- one\n  - the {w}\n    - {W} again")),
    "quoted name": ("md", _markdown("The song “{W} of Porto” was sung.")),
    "brackets": ("md", _markdown("Ada (that is, {W}) came.")),
    "path": ("md", _markdown("It lies in /home/{w}/notes.txt there.")),
    "callout": ("md", _markdown("> [!note] The {W}\n> Below it.")),
    "link to a heading": ("md", _markdown("See [[Porto#The {W}]] there.")),
    "link reference": ("md", _markdown('See [this][{w}].\n\n[{w}]: https://example.org/ "The {W}"')),
    "embedded note": ("md", _markdown("![[{W}]]\n\nThe {w} too.")),
    "property line": ("md", _markdown("place:: {W}")),
    "relationship": ("md", _markdown("{W} married Ada Berg. Ada Berg married {W}.")),
    "mail receiver": ("eml", _text(_MAIL.replace("To: b", "To: WORD") + "\nPLAIN\n\nWORD came.\n")),
    "mail quotation": ("eml", _text(f"{_MAIL}\nPLAIN\n\n> Then WORD came.\n\nYes.\n")),
    "html list": ("html", _text(_HTML.format("KIND", "KIND", "<ul><li>WORD</li></ul>", "b"))),
    "html link": ("html", _text(_HTML.format("KIND", "KIND", "<a href='https://example.org/'>WORD</a>", "b"))),
    "org heading": ("org", _text("* The WORD\nPLAIN\n")),
    "restructured heading": ("rst", _text("The WORD\n==================\n\nPLAIN\n")),
    "latex section": (
        "tex",
        _text("\\documentclass{article}\\begin{document}\\section{The WORD}PLAIN\\end{document}\n"),
    ),
    "plain text": ("txt", _text("PLAIN\n\nThen WORD came.\n")),
    "last line": ("txt", _text("PLAIN\n\nThen came WORD")),
    "lines of windows": ("txt", _text("PLAIN\r\n\r\nThen WORD came.\r\n")),
    "json lines text": ("jsonl", _lines({"title": "KIND", "text": "PLAIN"}, {"title": "b", "text": "Then WORD came."})),
    "json lines title": ("jsonl", _lines({"title": "WORD", "text": "PLAIN"})),
    "csv cell": ("csv", _text("name,town\nPLAIN,Porto\nWORD,Vienna\n")),
    "csv head": ("csv", _text("name,WORD\nPLAIN,Porto\nBen,Vienna\n")),
    "tsv cell": ("tsv", _text("name\ttown\nPLAIN\tPorto\nWORD\tVienna\n")),
    "mail subject": ("eml", _text(_MAIL.replace("About KIND", "WORD") + "\nPLAIN\n")),
    "mail body": ("eml", _text(f"{_MAIL}\nPLAIN\n\nThen WORD came.\n")),
    "mail sender": ("eml", _text(_MAIL.replace("From: A", "From: WORD") + "\nPLAIN\n")),
    "mailbox": ("mbox", _text(f"From a@example.org Mon May  3 10:00:00 2021\n{_MAIL}\nPLAIN\n\nThen WORD came.\n")),
    "calendar summary": ("ics", _text(_ICS.format("WORD", "Porto"))),
    "calendar place": ("ics", _text(_ICS.format("Meeting", "WORD"))),
    "subtitles srt": ("srt", _text(_CUES)),
    "subtitles vtt": ("vtt", _text("WEBVTT\n\n" + _CUES.replace(",000", ".000"))),
    "html title": ("html", _text(_HTML.format("WORD", "KIND", "came", "b"))),
    "html heading": ("html", _text(_HTML.format("KIND", "WORD", "came", "b"))),
    "html body": ("html", _text(_HTML.format("KIND", "KIND", "Then WORD came.", "b"))),
    "html cell": ("html", _text(_HTML.format("KIND", "KIND", "came", "WORD"))),
    "org": ("org", _text("* Notes on KIND\nPLAIN\n** The WORD\nThen WORD came.\n")),
    "restructured text": ("rst", _text("Notes on KIND\n=============\n\nPLAIN\n\nThen *WORD* came.\n")),
    "latex": (
        "tex",
        _text("\\documentclass{article}\\begin{document}\\section{KIND}PLAIN\n\nThen WORD came.\\end{document}\n"),
    ),
    "notebook text": ("ipynb", _notebook("markdown")),
    "notebook code": ("ipynb", _notebook("code")),
    "program comment": ("py", _text('"""PLAIN"""\n\n\ndef run():\n    # the WORD came\n    return 1\n')),
    "program name": ("py", _text('"""PLAIN"""\n\n\ndef WORD():\n    return 1\n')),
    "rich text": ("rtf", _text(r"{\rtf1\ansi PLAIN\par Then WORD came.\par}")),
}


def write_text(folder: Path, kind: str, word: str) -> Path:
    """One of `TEXTS`."""
    ending, written = TEXTS[kind]
    path = folder / f"{kind}.{ending}"
    path.write_text(written(kind, word), "utf-8")
    return path


def _docx(path: Path, kind: str, word: str) -> None:
    import docx

    document = docx.Document()
    document.add_heading(f"Notes on {kind}", 0)
    document.add_paragraph(_plain(kind))
    if "cell" in kind:
        document.add_table(1, 2).cell(0, 1).text = f"The {word}"
    else:
        document.add_paragraph(f"Then {word.title()} came.")
    document.save(str(path))


def _xlsx(path: Path, kind: str, word: str) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = word if "name" in kind else "Notes"
    for row in (["what", "who"], [_plain(kind), "Ada"], ["came", "Ben" if "name" in kind else word]):
        sheet.append(row)
    book.save(path)


def _pptx(path: Path, kind: str, word: str) -> None:
    import pptx

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = f"Notes on {kind}"
    slide.placeholders[1].text = _plain(kind) if "notes" in kind else f"{_plain(kind)}\nThen {word} came."
    if "notes" in kind:
        slide.notes_slide.notes_text_frame.text = f"Then {word} came."
    show.save(str(path))


def _epub(path: Path, kind: str, word: str) -> None:
    page = f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{kind}</title></head><body><h1>{kind}</h1><p>{_plain(kind)}</p><p>Then {word} came.</p></body></html>"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container' version='1.0'><rootfiles>"
            "<rootfile full-path='c.opf' media-type='application/oebps-package+xml'/></rootfiles></container>",
        )
        book.writestr(
            "c.opf",
            "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>"
            f"<dc:title>{kind}</dc:title></metadata><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
            "</manifest><spine><itemref idref='a'/></spine></package>",
        )
        book.writestr("a.xhtml", page)


def _odt(path: Path, kind: str, word: str) -> None:
    namespaces = (
        "xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
        "xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0'"
    )
    body = f"<text:h text:outline-level='1'>Notes on {kind}</text:h><text:p>{_plain(kind)}</text:p><text:p>Then {word} came.</text:p>"
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        book.writestr(
            "content.xml",
            f"<office:document-content {namespaces}><office:body><office:text>{body}</office:text></office:body></office:document-content>",
        )


def _pdf(path: Path, kind: str, word: str) -> None:
    shown = f"BT /F1 12 Tf 50 700 Td ({_plain(kind)}) Tj 0 -40 Td (Then {word} came to Vienna.) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = "%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(content)
    content += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    path.write_text(content, "latin-1")


FILES: dict[str, tuple[str, Callable[[Path, str, str], None]]] = {
    "document": ("docx", _docx),
    "document cell": ("docx", _docx),
    "sheet cell": ("xlsx", _xlsx),
    "sheet name": ("xlsx", _xlsx),
    "slide": ("pptx", _pptx),
    "slide notes": ("pptx", _pptx),
    "book": ("epub", _epub),
    "open document": ("odt", _odt),
    "pdf": ("pdf", _pdf),
}


def write_file(folder: Path, kind: str, word: str) -> Path:
    """One of `FILES`."""
    ending, written = FILES[kind]
    path = folder / f"{kind}.{ending}"
    written(path, kind, word)
    return path


def _unlike(folder: Path, kind: str, word: str) -> Path:
    """What is told by its name or its bytes."""
    text = f"# Notes on {kind}\n\n{_plain(kind)}\n\nThen {word} came.\n"
    path = folder / f"{kind}.md"
    if kind == "file name":
        path = folder / f"the {word}.md"
        path.write_text(text.replace(word, "Ben"), "utf-8")
    elif kind == "folder name":
        path = folder / f"the {word}" / f"{kind}.md"
        path.parent.mkdir()
        path.write_text(text.replace(word, "Ben"), "utf-8")
    elif kind == "file that cannot be read":
        path = folder / f"{word}.docx"
        path.write_bytes(b"PK\x03\x04 broken")
    else:
        path.write_bytes(text.encode(kind.removeprefix("text in ")))
    return path


UNLIKE = (
    "file name",
    "folder name",
    "file that cannot be read",
    "text in utf-16",
    "text in utf-8-sig",
    "text in latin-1",
)
SCRIPTS = {"chinese": HAN, "cyrillic": CYRILLIC}


def _of_script(folder: Path, kind: str, word: str) -> Path:
    path = folder / f"{kind}.md"
    spaced = " ".join((word[:5], word)) if kind == "chinese" else word
    path.write_text(f"# Notes on {kind}\n\n{_plain(kind)}\n\n{spaced}。\n", "utf-8")
    return path


WRITERS: dict[str, Callable[[Path, str, str], Path]] = {
    **dict.fromkeys(TEXTS, write_text),
    **dict.fromkeys(FILES, write_file),
    **dict.fromkeys(UNLIKE, _unlike),
    **dict.fromkeys(SCRIPTS, _of_script),
}
"""Place of a canary → what writes a file with it there."""
