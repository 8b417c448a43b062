"""Shows the text of an answer as Markdown: streamed while it is written, with its citations when it is finished."""

from __future__ import annotations

from collections.abc import Collection

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Markdown

# textual 8.2 does not export the table's classes.
from textual.widgets._markdown import MarkdownFence, MarkdownStream, MarkdownTable, MarkdownTableContent

from noderag_local.interfaces.tui.chat.answers.cited_markdown import cited_number, parser
from noderag_local.interfaces.tui.chat.answers.source_lines import CitationClicked


class _PlainFence(MarkdownFence):
    """Shows code without highlighting, since a model should not choose the lexer that runs over its text."""

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        """Returns the code without colours."""
        return Content(code)


class _TableContent(MarkdownTableContent):
    """Shows cells without tooltips, which textual 8.2 would read as markup."""

    def compose(self) -> ComposeResult:
        """Yields the cells without their tooltips."""
        for cell in super().compose():
            cell.tooltip = None
            yield cell


class _PlainTable(MarkdownTable):
    def compose(self) -> ComposeResult:
        """Yields cells without tooltips in place of textual's."""
        self._headers, self._rows = self._get_headers_and_rows()
        yield _TableContent(self._headers, self._rows)


class AnswerText(Markdown):
    """Shows an answer and posts `CitationClicked` when a citation is clicked; an answer contains no other links."""

    DEFAULT_CSS = """
    AnswerText {
        padding: 0 1;
        MarkdownBlock { link-color: $text-accent; link-style: underline; }
        MarkdownHeader { margin: 1 0 0 0; content-align: left middle; text-style: bold; background: transparent; }
        MarkdownFence { margin: 0 0 1 0; }
    }
    """
    BLOCKS = {**Markdown.BLOCKS, "fence": _PlainFence, "code_block": _PlainFence, "table_open": _PlainTable}

    def __init__(self) -> None:
        self._parser = parser((), tables=False)
        super().__init__(parser_factory=lambda: self._parser, open_links=False)

    def begin(self, known: Collection[int]) -> MarkdownStream:
        """Returns the stream that the pieces of an answer are written to; stop it after the last one.

        Args:
            known: numbers of the sources that citations may lead to.
        """
        self._parser = parser(known, tables=False)
        return self.get_stream(self)

    async def finish(self, markdown: str, known: Collection[int]) -> None:
        """Replaces the streamed text by the whole answer."""
        self._parser = parser(known, tables=True)
        await self.update(markdown)

    @on(Markdown.LinkClicked)
    def _link_clicked(self, event: Markdown.LinkClicked) -> None:
        event.stop()
        number = cited_number(event.href)
        if number is not None:
            self.post_message(CitationClicked(number))
