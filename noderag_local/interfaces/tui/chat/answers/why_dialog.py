"""The dialog that shows the path from the question through the graph to the sources, as a drawing and a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from noderag_local.domain.errors import NoderagError
from noderag_local.domain.graph import NodeType
from noderag_local.domain.passages import Retrieval
from noderag_local.interfaces.tui.chat.answers.open_in_explore import open_in_explore
from noderag_local.interfaces.tui.chat.answers.subgraph_drawing import Subgraph
from noderag_local.interfaces.tui.reader.navigation import NavigationStep, Target
from noderag_local.interfaces.tui.shared.dialog_box import Dialog, DialogBox
from noderag_local.interfaces.tui.shared.terminal_text import on_one_line, safe_text
from noderag_local.interfaces.tui.shell.key_line import KeyLine
from noderag_local.interfaces.tui.shell.owner import noderag_of

if TYPE_CHECKING:
    from noderag_local.generation.answering import Answer
    from noderag_local.vault.browsing.trace import Trace, TraceNode

FRAME_LINES = 12
"""Lines of the dialog outside drawing and list, and the minimum number of lines for the list."""
SHOWN_PARTS = 3
LONGEST = 300
TYPES = {
    NodeType.SENTENCE: "sentence",
    NodeType.SEMANTIC_UNIT: "statement",
    NodeType.ENTITY: "entity",
    NodeType.RELATIONSHIP: "relationship",
    NodeType.ATTRIBUTE: "description",
    NodeType.HIGH_LEVEL_ELEMENT: "theme",
    NodeType.OVERVIEW: "title of a theme",
    NodeType.ATTRIBUTED_COMMUNITY: "community",
    NodeType.PROFILE: "profile",
    NodeType.WRITTEN_UNIT: "statement in other words",
}
LAYERS = (
    "The question",
    "Where the search began",
    "Entities that lead on",
    "What was chosen",
    "Where it stands",
)
"""Names of the layers, in the order of atlas.trace.TraceLayer."""
PARTS = {
    "walk": "walk through the graph",
    "sentence": "meaning of the sentence",
    "sentence_alone": "meaning of the sentence",
    "chunk": "meaning of its passage",
    "chunk_alone": "meaning of its passage",
    "words": "words of the question",
    "bm25": "words of the question",
    "words_near": "words of the question near it",
    "words_in_chunk": "words of the question in its passage",
    "words_in_document": "words of the question in its file",
    "title": "words of the question in its title",
    "date_or_number": "holds a date or number",
    "names": "holds names",
    "bridge": "goes on from another one",
    "seed": "weight",
}
"""Names of the parts of a score, as this dialog shows them."""


class WhyDialog(Dialog[None]):
    """Shows the graph from the question to the sources; enter opens a node in Explore, escape closes."""

    DEFAULT_CSS = """
    WhyDialog {
        DialogBox { width: 100%; max-width: 170; height: 100%; max-height: 50; padding: 0 1; }
        #why-question { height: 1; text-wrap: nowrap; text-overflow: ellipsis; text-style: bold; }
        #why-told { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        Subgraph { margin: 1 0; }
        OptionList {
            height: 1fr;
            border: none;
            border-top: solid $border-blurred;
            padding: 0;
            background: $surface;
            scrollbar-size-vertical: 1;
            &:focus { border: none; border-top: solid $primary; background-tint: transparent; }
            & > .option-list--option-disabled { color: $text-primary; text-style: bold; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w", "dismiss", "Close"),
        Binding("tab", "app.focus_next", "Drawing or list"),
    ]

    def __init__(self, retrieval: Retrieval, answer: Answer | None = None) -> None:
        """Creates the dialog about one search.

        Args:
            retrieval: the search to explain.
            answer: answer whose cited sources come first; None puts the best sources first.
        """
        super().__init__()
        self._retrieval = retrieval
        self._cited = frozenset(number for one in answer.citations for number in one.numbers) if answer else frozenset()
        self._trace: Trace | None = None
        self._node_of: Sequence[int | None] = ()
        """Node of each line of the list; None for headings."""

    def compose(self) -> ComposeResult:
        """Lays out the question, the drawing and the list."""
        with DialogBox() as frame:
            frame.border_title = "Why this answer"
            yield Label(on_one_line(self._retrieval.question), id="why-question")
            yield Label("Following the way …", id="why-told")
            yield Subgraph()
            yield OptionList(markup=False)
            yield KeyLine()

    def on_mount(self) -> None:
        """Reads the trace from the vault."""
        self._read()

    @work(exclusive=True)
    async def _read(self) -> None:
        try:
            trace = await noderag_of(self).session.read(lambda vault: vault.atlas.trace(self._retrieval, self._cited))
        except NoderagError as error:
            self.query_one("#why-told", Label).update(safe_text(str(error), "$text-error"))
            return
        self._trace = trace
        self.query_one("#why-told", Label).update(_told(self._retrieval, len(trace.nodes) - 1))
        graph = self.query_one(Subgraph)
        graph.show(trace, max(self.size.height - FRAME_LINES, 0))
        lines = tuple(_lines(trace))
        self._node_of = tuple(node for _, node in lines)
        self.query_one(OptionList).set_options(Option(text, disabled=node is None) for text, node in lines)
        graph.selected = min(1, len(trace.nodes) - 1)
        graph.focus()

    @on(Subgraph.Moved)
    def _moved(self, event: Subgraph.Moved) -> None:
        if event.node in self._node_of:
            self.query_one(OptionList).highlighted = self._node_of.index(event.node)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        node = self._node_of[event.option_index]
        if node is not None and self.query_one(OptionList).has_focus:
            self.query_one(Subgraph).selected = node

    @on(Subgraph.Chosen)
    def _chosen(self, event: Subgraph.Chosen) -> None:
        self._open(event.node)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        node = self._node_of[event.option_index]
        if node is not None:
            self._open(node)

    def _open(self, place: int) -> None:
        target = _target(self._trace.nodes[place]) if self._trace else None
        if target is None:
            return
        app = noderag_of(self)
        self.dismiss()
        open_in_explore(app, target)


def _target(node: TraceNode) -> Target | None:
    """Returns what enter opens: the page of an entity, or a place in the notes."""
    if node.type is NodeType.ENTITY:
        return NavigationStep(NodeType.ENTITY, node.node, node.name)
    return node.source


def _told(retrieval: Retrieval, nodes: int) -> Content:
    ranked, sources = len(retrieval.ranked), len(retrieval.sources)
    if not ranked:
        return Content("Nothing was found for it.")
    figures = f"{retrieval.method} chose {ranked:,} pieces of {sources:,} passages in {retrieval.elapsed_ms:.0f} ms"
    return Content(f"{figures}; the {nodes} nodes that led to the answer:")


def _lines(trace: Trace) -> Iterator[tuple[Content, int | None]]:
    """Yields (text, node) for each line of the list, with a heading before each layer and without the question."""
    layer = 0
    for place, node in enumerate(trace.nodes):
        if node.type is None:
            continue
        if node.layer != layer:
            layer = node.layer
            yield Content(LAYERS[layer]), None
        yield _line(trace, place), place


def _line(trace: Trace, place: int) -> Content:
    """Returns the lines of a node: its name, what it is, why it was chosen and what leads to it."""
    node = trace.nodes[place]
    name = on_one_line(node.name if len(node.name) <= LONGEST else node.name[:LONGEST] + "…")
    if node.type is NodeType.DOCUMENT and node.source is not None:
        headings = " › ".join(filter(None, (node.source.title, *node.source.headings)))
        return Content("  ") + name + Content("  ") + on_one_line(headings, "$text-muted")
    kind = TYPES.get(node.type, "") if node.type else ""
    details = " · ".join(filter(None, [kind, *_reasons(node), *_ways(trace, place)]))
    letter = Content.styled(f"  {node.type or ''} ", "bold")
    return letter + name + Content("\n    ") + on_one_line(details, "$text-muted")


def _reasons(node: TraceNode) -> Iterator[str]:
    """Yields the largest parts of a node's score; parts with the same name are added up."""
    sums: dict[str, float] = {}
    for part, value in node.reasons:
        name = PARTS.get(part, part)
        sums[name] = sums.get(name, 0) + value
    for name, value in sorted(sums.items(), key=lambda reason: -reason[1])[:SHOWN_PARTS]:
        if value > 0:
            yield f"{name} {value:.2f}"


def _ways(trace: Trace, place: int) -> Iterator[str]:
    """Yields what leads to a node, such as "← Porto (named in)"."""
    for edge in trace.edges:
        if edge.end == place:
            start = trace.nodes[edge.start]
            yield edge.name if start.type is None else f"← {_short(start.name)} ({edge.name})"


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"
