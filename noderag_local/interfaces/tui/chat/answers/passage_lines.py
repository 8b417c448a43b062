"""Lines that show the best passages of a search while the language model still reads them."""

from __future__ import annotations

from textual.content import Content

from noderag_local.domain.passages import Retrieval, Source
from noderag_local.interfaces.tui.chat.answers.source_lines import SourceLine, place
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line
from noderag_local.system.printing.excerpt import PASSAGES_SHOWN, excerpt


class PassageLine(SourceLine):
    """Shows a source's place and the beginning of its text, with the words of the question in bold."""

    def __init__(self, source: Source, question: str) -> None:
        """Creates the lines of a passage.

        Args:
            source: passage that the line opens.
            question: question whose words are marked.
        """
        super().__init__(source)
        self.show(source, question)

    def show(self, source: Source, question: str) -> None:
        """Shows another passage instead; arguments as for the constructor."""
        self.source = source
        self.update(place(source) + Content("\n") + _marked(excerpt(source.text), question))


def passage_lines(found: Retrieval) -> list[PassageLine]:
    """Returns the lines of the best passages, best first."""
    return [PassageLine(source, found.question) for source in found.sources[:PASSAGES_SHOWN]]


def _marked(text: str, question: str) -> Content:
    # Imported here, since the tables of languages would delay the first screen.
    from noderag_local.text.stems import question_stems

    asked = frozenset[str]().union(*question_stems(question).values())
    words = text.split(" ")
    marked = (any(asked & stems for stems in question_stems(word).values()) for word in words)
    return Content(" ").join(
        on_one_line(word, "bold $text" if is_asked else "") for word, is_asked in zip(words, marked, strict=True)
    )
