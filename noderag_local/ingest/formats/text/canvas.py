"""Reads Obsidian canvases (.canvas): cards, files and web pages under the groups that contain them, and the arrows between them.

An arrow becomes the line "Budget → Trip to Lisbon: pays for" after the card where it starts. The place is "card Budget".
The format is described at https://jsoncanvas.org.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from noderag_local.domain.documents import BlockKind, WikiLink
from noderag_local.ingest.formats.block_writer import BlockWriter, Whereabouts, folded_text
from noderag_local.ingest.formats.extract import ExtractedDocument, Extractor
from noderag_local.ingest.formats.file_text import text_of
from noderag_local.ingest.formats.json_file import json_object, records
from noderag_local.ingest.formats.text.markdown_blocks import write_markdown

MAX_GROUPS = 200
"""Maximum number of groups; cards in further groups get no heading."""
MAX_NAME_CHARACTERS = 60

_MARKS = "#>*-+ \t`_=~"
"""Markdown characters at the ends of a line."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A card, file, web page or group."""

    kind: str
    """"text", "file", "link" or "group"."""
    said: str
    """Markdown of a card, path of a file, address of a web page, label of a group."""
    name: str
    """Short name: the first line, or the name of the file with the heading that is shown."""
    left: float
    top: float
    right: float
    bottom: float

    @property
    def links(self) -> tuple[WikiLink, ...]:
        """Link to the note, if the node is a file."""
        return (WikiLink(_file_name(self.said), self.name),) if self.kind == "file" and self.name else ()

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    def holds(self, other: _Node) -> bool:
        """Returns whether the centre of another node lies in this one."""
        x, y = (other.left + other.right) / 2, (other.top + other.bottom) / 2
        return self.left <= x <= self.right and self.top <= y <= self.bottom


_Arrows = dict[str, list[tuple[str, tuple[WikiLink, ...]]]]
"""Id of a node → (text, links to notes) of each arrow that starts there."""


def _read(file: BinaryIO, name: str) -> Iterator[ExtractedDocument]:
    # Obsidian writes nothing into a canvas that is new.
    canvas = json_object(text_of(file).strip() or "{}", "canvas")
    nodes = {str(one.get("id")): _node(one) for one in records(canvas.get("nodes"))}
    arrows: _Arrows = defaultdict(list)
    for edge in records(canvas.get("edges")):
        start, end = (nodes.get(str(edge.get(name))) for name in ("fromNode", "toNode"))
        if start and end and start.name and end.name:
            arrows[str(edge["fromNode"])].append((_arrow(edge, start, end), start.links + end.links))
    writer = BlockWriter()
    _Canvas(nodes, arrows, writer).write()
    yield ExtractedDocument("", tuple(writer.blocks))


class _Canvas:
    """Writes the nodes of a canvas from top to bottom, each under the groups that contain it."""

    def __init__(self, nodes: dict[str, _Node], arrows: _Arrows, writer: BlockWriter) -> None:
        self._nodes, self._arrows, self._writer = nodes, arrows, writer
        groups = [node for node in nodes.values() if node.kind == "group" and node.name]
        self._groups = sorted(groups[:MAX_GROUPS], key=lambda group: (-group.area, group.top, group.left))

    def write(self) -> None:
        above = {key: self._above(node) for key, node in self._nodes.items()}
        order = sorted(self._nodes, key=lambda key: ([(g.top, g.left, g.name) for g in above[key]], self._corner(key)))
        written: tuple[_Node, ...] = ()
        for key in order:
            written = self._open(above[key], written)
            self._write_node(key, len(above[key]))

    def _above(self, node: _Node) -> tuple[_Node, ...]:
        """Returns the groups that contain a node, outermost first; a group contains itself."""
        return tuple(group for group in self._groups if group is node or (group.area > node.area and group.holds(node)))

    def _corner(self, key: str) -> tuple[bool, float, float, str]:
        node = self._nodes[key]
        return node.kind != "group", node.top, node.left, key

    def _open(self, groups: tuple[_Node, ...], written: tuple[_Node, ...]) -> tuple[_Node, ...]:
        """Writes the headings of groups that are not open yet; returns the open groups."""
        same = 0
        while same < min(len(groups), len(written)) and groups[same] is written[same]:
            same += 1
        self._writer.under(same + 2, "")
        for depth, group in enumerate(groups[same:], start=same):
            self._writer.heading(depth + 2, group.name, Whereabouts(f"group {group.name}"))
        return groups

    def _write_node(self, key: str, depth: int) -> None:
        node = self._nodes[key]
        where = Whereabouts(f"{'group' if node.kind == 'group' else 'card'} {node.name}" if node.name else "")
        level = depth + 1
        if node.kind == "text":
            write_markdown(node.said, self._writer, where, below=level)
        elif node.kind in ("file", "link"):
            self._writer.add(
                BlockKind.LIST_ITEM, node.name if node.kind == "file" else node.said, where, links=node.links
            )
        self._writer.under(level + 1, "")
        for sentence, links in self._arrows.get(key, ()):
            self._writer.add(BlockKind.LIST_ITEM, sentence, where, links=links)


def _arrow(edge: dict[str, Any], start: _Node, end: _Node) -> str:
    """Returns an arrow as text: "Budget → Trip to Lisbon: pays for"."""
    heads = (edge.get("fromEnd", "none") == "arrow", edge.get("toEnd", "arrow") == "arrow")
    sign = {(False, True): "→", (True, False): "←", (True, True): "↔"}.get(heads, "–")
    label = folded_text(str(edge.get("label") or ""))
    return f"{start.name} {sign} {end.name}{f': {label}' if label else ''}"


def _node(node: dict[str, Any]) -> _Node:
    kind = str(node.get("type"))
    field = {"text": "text", "file": "file", "link": "url", "group": "label"}.get(kind, "")
    left, top, width, height = (_number(node.get(name)) for name in ("x", "y", "width", "height"))
    said = str(node.get(field) or "").replace("\r\n", "\n").replace("\r", "\n")
    section = folded_text(str(node.get("subpath") or "")).replace("#", " > ")
    name = _file_name(said) + section if kind == "file" else _first_line(said)
    return _Node(kind, said, name, left, top, left + width, top + height)


def _first_line(text: str) -> str:
    line = next((line for line in text.split("\n") if line.strip(_MARKS)), "")
    shown = folded_text(line.strip(_MARKS).replace("[[", "").replace("]]", ""))
    return shown if len(shown) <= MAX_NAME_CHARACTERS else f"{shown[: MAX_NAME_CHARACTERS - 1].rstrip()}…"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e12 else 0.0


def _file_name(path: str) -> str:
    """Returns the name by which links name the document of a file."""
    name = folded_text(path.rsplit("/", 1)[-1])
    return name.rpartition(".")[0] or name


EXTRACTOR = Extractor(_read)
