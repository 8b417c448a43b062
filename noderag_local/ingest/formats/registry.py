"""Lists all formats that can be read: a line for each, with the module that reads it.

This module imports no reader. Only the limited processes that read files import them.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import NamedTuple


class Format(NamedTuple):
    """A file format, as far as it is known before its reader is imported."""

    kind: str
    """Name that people use for such files."""
    module: str
    """Module below this package that reads such files; it ends with an `EXTRACTOR`, or with a `READER` if the format is text."""
    name: str
    """Name of the reader as vaults store it. It never changes: under another name, its files would be read again."""
    suffixes: tuple[str, ...]
    """Endings of the names of such files, in lower case."""
    is_for_editors: bool = False
    """Whether a text editor shows the cited lines; other files are opened by the desktop's program for them."""
    version: int = 1
    """Version of the reader; raise it when it makes other documents of the same file, so that files are read again."""
    is_text: bool = False
    """Whether the file holds its sentences as they are, so that citations give their lines and bytes."""
    has_record_a_line: bool = False
    """Whether each line of a file is a document of its own."""
    scan_module: str = ""
    """Module that reads such files slowly, with the text in their pictures; "" if there is none."""
    least_limit_bytes: int = 0
    """Size up to which such files are read even if the user's size limit is lower."""
    is_sparse: bool = False
    """Whether a large file is sent in pieces, on request of its reader, instead of as a whole."""
    paths: str = ""
    """Regular expression for the path, if the ending does not decide the format; such formats are tried first."""

    @property
    def full_module(self) -> str:
        """Full name of the module that reads such files."""
        return f"{__package__}.{self.module}"

    @property
    def full_scan_module(self) -> str:
        """Full name of the module that reads the text in their pictures, too; "" if there is none."""
        return f"{__package__}.{self.scan_module}" if self.scan_module else ""


_CODE = (
    ".py .pyi .rb .lua .js .mjs .cjs .jsx .ts .tsx .java .c .h .cc .cpp .cxx .hpp .cs .dart .sh .bash .zsh .rs .go .kt .kts .swift"
    " .scala .php .sql"
)
_NOTION = r" [0-9a-f]{32}(?:_all)?\.\w+$"
PLAIN_TEXT = Format("text", "text.plain", "plain", (".txt", ".text"), True, version=4, is_text=True)
"""The format of files that no other claims."""
TEXT_BY_LINES = Format("text by lines", "text.text_lines", "lines", (), True, is_text=True, has_record_a_line=True)
"""The format of any other text if the user asks for a document a line."""
PICTURE = Format(
    "picture",
    "scans.picture",
    "picture",
    (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"),
    scan_module="scans.scanned_picture",
    version=3,
)
FORMATS = (
    Format("BibTeX", "references.bibtex", "bibtex", (".bib",), True, version=2),
    Format("EPUB", "markup.epub", "epub", (".epub",), version=2),
    # Large exports are mostly pictures, which are not read.
    Format(
        "Evernote", "exports.evernote", "evernote", (".enex",), least_limit_bytes=512 << 20, is_sparse=True, version=3
    ),
    Format("Excel", "office.xlsx", "xlsx", (".xlsx", ".xlsm"), version=2),
    Format(
        "Google Keep",
        "exports.google_keep",
        "keep",
        (".json",),
        version=3,
        paths=r"(?:^|/)(?:Google )?(?:Keep|Notizen)/[^/]++$",
    ),
    Format("HTML", "markup.html", "html", (".html", ".htm", ".xhtml"), version=4),
    Format("JSON Lines", "text.jsonl", "jsonl", (".jsonl",), True, version=2, is_text=True, has_record_a_line=True),
    Format("LaTeX", "markup.latex", "latex", (".tex", ".latex", ".ltx"), True, version=2),
    Format("Markdown", "text.markdown", "markdown", (".md", ".markdown"), True, version=5, is_text=True),
    Format("Notion page", "exports.notion_page", "notion", (".md",), True, version=3, is_text=True, paths=_NOTION),
    Format("Notion page in HTML", "exports.notion_html", "notion-html", (".html",), paths=_NOTION, version=2),
    Format("Notion table", "exports.notion_table", "notion-table", (".csv",), True, paths=_NOTION, version=2),
    Format("Obsidian canvas", "text.canvas", "canvas", (".canvas",), version=3),
    Format("OpenDocument", "office.odt", "odt", (".odt", ".ott"), version=2),
    Format("OpenDocument slides", "office.odp", "odp", (".odp", ".otp"), version=2),
    Format("OpenDocument spreadsheet", "office.ods", "ods", (".ods", ".ots")),
    Format("Org", "markup.org", "org", (".org",), True, version=2),
    Format("PDF", "pdf.pdf_file", "pdf", (".pdf",), version=3, scan_module="scans.scanned_pdf"),
    Format("PowerPoint", "office.pptx", "pptx", (".pptx",)),
    Format("RIS", "references.ris", "ris", (".ris",), True),
    Format("RTF", "markup.rtf", "rtf", (".rtf",), version=2),
    Format(
        "WhatsApp chat",
        "exports.whatsapp",
        "whatsapp",
        (".txt",),
        True,
        version=3,
        paths=r"(?i)(?:(?:^|/)_chat\.|whatsapp)[^/]*+$",
    ),
    Format("Word", "office.docx", "docx", (".docx",), version=2),
    # The database grows with the words of all papers, which it holds for Zotero's own search.
    Format(
        "Zotero",
        "references.zotero",
        "zotero",
        (".sqlite",),
        paths=r"(?:^|/)zotero\.sqlite$",
        least_limit_bytes=256 << 20,
        version=3,
    ),
    PICTURE,
    Format("bookmarks", "markup.chrome_bookmarks", "bookmarks", ("",), paths="(?:^|/)Bookmarks$", version=2),
    Format("calendar", "mail.calendar_file", "calendar", (".ics",), version=3),
    Format("mail", "mail.mail_messages", "mail", (".eml", ".mbox"), version=5),
    Format("notebook", "code.notebook", "notebook", (".ipynb",), version=3),
    Format("reStructuredText", "markup.restructured", "restructured", (".rst", ".rest"), True, version=2),
    Format("source code", "code.source_code", "code", tuple(_CODE.split()), True),
    Format("subtitles", "markup.subtitles", "subtitles", (".srt", ".vtt"), True),
    Format("table", "office.document_tables", "tables", (".csv", ".tsv"), True, version=2),
    # Large archives are mostly pictures and films, which are not unpacked.
    Format("zip archive", "archives.zip_file", "zip", (".zip",), least_limit_bytes=4 << 30, is_sparse=True, version=6),
    PLAIN_TEXT,
)
_BY_SUFFIX = {suffix: known for known in FORMATS if not known.paths for suffix in known.suffixes}
_BY_PATH = tuple((re.compile(known.paths), known) for known in FORMATS if known.paths)
SUFFIXES = frozenset(suffix for known in FORMATS for suffix in known.suffixes)
"""Endings of files that are read."""


def format_of(path: str, *, by_lines: bool = False) -> Format:
    """Returns the format of a file; a file with an unknown ending is read as plain text.

    Args:
        path: name of the file. Its ending decides, in upper or lower case; files of some programs are recognised by the whole path.
        by_lines: whether each line of a text file is a document; other formats are read as usual.
    """
    known = known_format(path) or PLAIN_TEXT
    return TEXT_BY_LINES if by_lines and known.is_text and not known.has_record_a_line else known


def known_format(path: str) -> Format | None:
    """Returns the format of a file; None if its name matches none, so that the scan of a folder skips it."""
    suffix = _suffix(path)
    called = path.replace(os.sep, "/")
    by_path = (known for pattern, known in _BY_PATH if suffix in known.suffixes and pattern.search(called))
    return next(by_path, None) or _BY_SUFFIX.get(suffix)


def scans_can_be_read() -> bool:
    """Whether what reads the text in pictures is installed, the extra `ocr`; it is looked for and not loaded."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


def is_note(path: str) -> bool:
    """Whether a file's name is that of a text or note, which programs show and do not run."""
    known = known_format(path)
    return known is not None and known.is_text


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()
