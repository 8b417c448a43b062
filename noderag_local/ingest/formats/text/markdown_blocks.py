"""Writes Markdown inside a file of another format, such as a notebook cell or the card of a canvas."""

from __future__ import annotations

from noderag_local.domain.documents import BlockKind
from noderag_local.ingest.chunks.parsed_document import Block
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts
from noderag_local.ingest.formats.text.markdown import Outline


def write_markdown(text: str, writer: BlockWriter, where: Whereabouts, *, below: int = 0) -> None:
    """Writes the blocks of a Markdown text, all at one place.

    Args:
        text: Markdown with Unix line ends.
        writer: takes the blocks.
        where: place of the blocks in the file.
        below: level of the heading above the text; the text's headings are that much deeper.
    """
    outline = Outline(text, 0, (), writer.title)
    for block in outline.blocks:
        shown = block.shown_in(text)
        links = [marker.link for marker in block.markers if marker.link is not None]
        tags = [marker.tag for marker in block.markers if marker.tag]
        if block.kind is BlockKind.HEADING:
            writer.heading(below + _marked_level(text, block), shown, where, links=links, tags=tags)
        elif block.kind is BlockKind.CODE:
            writer.add(block.kind, _unfenced(shown), where)
        else:
            writer.add(block.kind, shown, where, links=links, tags=tags)


def _marked_level(text: str, block: Block) -> int:
    """Returns the level of a heading: the number of its "#", or 1 or 2 if it is underlined."""
    source = text[block.start : block.end].lstrip(" \t>")
    if source.startswith("#"):
        return len(source) - len(source.lstrip("#"))
    return 1 if source.rstrip().endswith("=") else 2


def _unfenced(code: str) -> str:
    lines = code.split("\n")
    if lines[0].lstrip().startswith(("```", "~~~")):
        lines = lines[1:]
        if lines and lines[-1].strip() and not lines[-1].strip().strip("`~"):
            lines.pop()
    return "\n".join(lines)
