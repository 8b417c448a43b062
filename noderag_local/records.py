"""Frozen records that the rooms of the package share.

Character offsets count the characters of the decoded text of a file, byte offsets the bytes of the file as it lies
on disk; both are half-open. Lines count from 1, and a line range includes its last line.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class NodeType(StrEnum):
    """Types of nodes, with the letters of the NodeRAG paper (section 2.1) where it has one."""

    TEXT = "T"
    SENTENCE = "X"
    SEMANTIC_UNIT = "S"
    ENTITY = "N"
    RELATIONSHIP = "R"
    ATTRIBUTE = "A"
    COMMUNITY = "C"
    HIGH_LEVEL_ELEMENT = "H"
    OVERVIEW = "O"
    KEYWORD = "K"
    DOCUMENT = "D"
    ATTRIBUTED_COMMUNITY = "G"
    """of ArchRAG, which stand in levels; C are NodeRAG's"""


class EdgeType(StrEnum):
    """Types of edges that are stored; containment (D–T, T–X) follows from the rows and is never stored twice."""

    MENTION = "mention"
    """sentence – entity named in it"""
    KEYWORD = "keyword"
    """sentence – keyword that stands in it"""
    SUBJECT = "subject"
    """sentence – the entity that its paragraph is about, where the sentence does not name it"""
    SEMANTIC = "semantic"
    """sentence – one of its nearest sentences by cosine"""
    LINK = "link"
    """document – document that it links to"""
    ALIAS = "alias"
    """entity – entity that means the same (an acronym and its long form, a link and its label)"""
    RECOGNISED = "recognised"
    """sentence – entity that the language model found in it"""
    INSERTED = "inserted"
    """text – semantic unit that was made of it (text insertion, G4)"""
    PART = "part"
    """semantic unit – sentence that it is made of"""
    NAMES = "names"
    """semantic unit – entity named in it"""
    RELATES = "relates"
    """relationship – each of its two entities"""
    STATED = "stated"
    """relationship – sentence that states it"""
    DESCRIBES = "describes"
    """attribute – the entity that it describes"""
    MEMBER = "member"
    """community – semantic unit, entity, relationship or attribute in it"""
    ELEMENT = "element"
    """community – high-level element made of it"""
    MATCHED = "matched"
    """high-level element – semantic unit or attribute of its community and cluster (semantic matching, G3)"""
    TITLE = "title"
    """overview – high-level element that it is the title of"""
    SIMILAR = "similar"
    """one of T, S, A, H – one of its nearest among them by cosine (G5)"""
    HOLDS = "holds"
    """attributed community – entity or attributed community of the level below; the heavier, the more central"""
    TELLS = "tells"
    """attributed community – sentence that its summary is made of; the heavier, the more central"""


class Layer(StrEnum):
    """What a retrieval method can ask a vault for; a stage of the pipeline produces each."""

    TEXT = "text"
    """documents, chunks, sentences and their full-text index"""
    GRAPH = "graph"
    """entities, keywords and their edges"""
    VECTORS = "vectors"
    """embeddings of chunks and sentences, semantic edges"""
    SUMMARIES = "summaries"
    """attributes and high-level elements, which the language model writes"""


class BlockKind(StrEnum):
    """What a block of a document is; it decides how it is cut into sentences."""

    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that the scan found."""

    path: str
    """Absolute, as the file system spells it."""
    size_bytes: int
    modified_ns: int
    real_path: str = ""
    """The same without links, as the scan found it; "" where nobody has looked."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was left out of the index, and why."""

    path: str
    reason: str
    """A short phrase that the same cause always gives, so that it can be counted: "hidden", "over 20 MB" …"""
    detail: str = ""
    """What happened and the way out; empty where the reason says all (a hidden folder, say)."""
    is_error: bool = False
    """Whether the user would have expected this to be indexed."""

    @property
    def told(self) -> str:
        """What is shown of it, with its path."""
        return self.detail if self.path in self.detail else f"{self.path}: {self.detail or self.reason}"


@dataclass(frozen=True, slots=True)
class WikiLink:
    """`[[target#section|label]]` or a Markdown link to another file of the folder."""

    target: str
    """Name or path of the document that is meant, without its section."""
    label: str
    """What the reader sees; equal to `target` where the link has no alias."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a stretch of text lies in its file. Every offset is absolute in the file, not in the document.

    What was read out of another format than text (`ingest.formats`) has no bytes of its own there: its offsets count in the
    text of the document as it was read, bytes as UTF-8.
    """

    start: int
    end: int
    start_byte: int
    end_byte: int
    first_line: int
    """0 where the file has no lines to open."""
    last_line: int
    place: str = ""
    """What a person looks it up by beside lines or without: "page 3", "slide 2"; a range is "page 3 – page 4"."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item, table row, heading or code fence: the smallest thing that is retrieved."""

    position: int
    """0-based, in its document."""
    text: str
    """As a person reads it: without list marks, emphasis and link brackets, white space folded (code keeps its own)."""
    kind: BlockKind
    passage: Passage
    links: tuple[WikiLink, ...] = ()
    tags: tuple[str, ...] = ()
    """Without the leading #."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole sentences packed to 250–350 tokens; never crosses a document (text node T)."""

    position: int
    """0-based, in its document."""
    text: str
    """The file's own text from the first sentence to the last, line ends as \\n, undecodable bytes as U+FFFD."""
    headings: tuple[str, ...]
    """Breadcrumb of the headings over its first sentence, outermost first; without the document's title."""
    passage: Passage
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One document: a Markdown or text file, a record of a JSON Lines file, a line of a file read by lines."""

    path: str
    """Absolute path of the file."""
    record: int
    """0-based number of the document in its file; 0 where the file is one document."""
    title: str
    """Empty where the document has none; file names are not made into titles where each line is a document."""
    encoding: str
    """Codec name that Python's `codecs.lookup` knows; "" where the text was read out of another format."""
    content_hash: str
    """SHA-256 of the bytes of this document (of the record, not of its whole file), hexadecimal; of what was read out of
    it where its format is no text."""
    chunks: tuple[Chunk, ...]
    tags: tuple[str, ...] = ()
    """From the front matter, without the leading #."""
    aliases: tuple[str, ...] = ()
    """Other names of the document, from its front matter."""


class EntityKind(StrEnum):
    """How a rule found an entity."""

    NAME = "name"
    DATE = "date"
    QUANTITY = "quantity"
    TITLE = "title"
    """a quoted title"""
    ACRONYM = "acronym"
    LINK = "link"
    TAG = "tag"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a sentence."""

    name: str
    """The surface form as it stands there."""
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of the notes that a search keeps to: documents that fulfil all that is set."""

    folder: str = ""
    """A folder or file, absolute, with ~, or relative to the current folder or to one that was indexed; "" is all."""
    tag: str = ""
    """Of the document, or of a sentence in it, with or without #; "project" holds "project/garden" too. "" is all."""
    since: date | None = None
    """First day: of the date in the file's name, else of its last change."""
    until: date | None = None
    """Last day, itself included."""

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return not (self.folder or self.tag or self.since or self.until)


EVERYTHING = Scope()
"""All notes."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered passage of a context, as a citation [n] resolves it."""

    number: int
    """1-based, as printed in the context; 0 of a source in no context."""
    path: str
    record: int
    title: str
    headings: tuple[str, ...]
    first_line: int
    last_line: int
    start_byte: int
    end_byte: int
    text: str
    """The sentences of the source that stand in the context."""
    place: str = ""
    """As of a Passage."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A node that retrieval chose, and why."""

    node: int
    type: NodeType
    source: int
    """Number of the source that it stands in."""
    score: float
    reasons: tuple[tuple[str, float], ...]
    """(name of a part of the score, its contribution), in a fixed order."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a method found for a question, packed into a context."""

    method: str
    question: str
    budget_tokens: int
    context: str
    """As the language model sees it, source labels included."""
    tokens: int
    """Tokens of `context`; never over the budget."""
    sources: tuple[Source, ...]
    ranked: tuple[Ranked, ...]
    seeds: tuple[tuple[str, float], ...]
    """(entity or sentence that the search started from, its weight), heaviest first."""
    elapsed_ms: float
    llm_tokens: int = 0
    """That the language model read and wrote to find it; 0 for methods that do not ask it."""
    without_notes: bool = False
    """Whether the question is for the model alone, to tell what the notes add: nothing was looked for."""
    filtered: bool = False
    """Whether the model is to look through the sources first and to answer from the passages that help."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of an answer and the sources that stand behind it."""

    text: str
    """Without markers and without white space around it; empty where the answer has nothing but a marker."""
    numbers: tuple[int, ...]
    """Numbers of the sources that it cites and that exist."""
    supported: bool
    """Whether the cited sources (all sources, where none is cited) contain what the sentence says."""
    added: bool = False
    """Whether noderag added `numbers`: the model cited nothing, and exactly one source holds the sentence."""
    after: str = ""
    """White space behind the sentence, line ends included: the texts and these make up the answer without its markers."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage of indexing has come; a new record each time it moves."""

    stage: str
    """What is being done, in words: "reading", "linking", "embedding", "nearest sentences"."""
    done: int
    total: int
    """In `unit`; 0 where it is not known yet."""
    unit: str
    """What is counted: "documents", "sentences"."""


@dataclass(frozen=True, slots=True)
class StageTime:
    """What a stage of indexing took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of indexing did."""

    added: int
    """Documents that were not there before."""
    changed: int
    """Files whose documents were replaced since the file had changed."""
    removed: int
    """Documents whose file is gone, or whose file or record changed."""
    unchanged: int
    """Files that were left as they are."""
    moved: int
    """Files that lie elsewhere now, with the same content; they keep all that was made of them."""
    skipped: tuple[Skipped, ...]
    stopped: bool
    """Whether the user stopped it; what was done by then is kept."""
    stages: tuple[StageTime, ...]
    elapsed_seconds: float
    read_again: int = 0
    """Files that had not changed and were read anew: an older version of their reader had read them, or it was asked for."""


@dataclass(frozen=True, slots=True)
class Stats:
    """What a vault holds."""

    folder: str
    files: int
    documents: int
    chunks: int
    sentences: int
    tokens: int
    """Of all sentences, by `tokenizer`."""
    nodes: tuple[tuple[NodeType, int], ...]
    edges: tuple[tuple[EdgeType, int], ...]
    embeddings: int
    size_bytes: int
    """All files of the vault together."""
    embedding_model: str
    tokenizer: str
    layers: tuple[Layer, ...]
    stage_tokens: tuple[tuple[str, int], ...]
    """(stage of enriching, tokens that the language model read and wrote for what it has made); stages in order of name."""
    model_rates: tuple[tuple[str, float], ...]
    """(model, tokens a second that it read and wrote here while enriching); those that were measured, by name."""
    state: str
    """No other state of any vault has the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check looked at."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""
    """What to do, where it is not ok."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node beside another one."""

    type: NodeType
    name: str
    edge: EdgeType
    weight: float


@dataclass(frozen=True, slots=True)
class Shown:
    """A document, an entity or a source, as `noderag show` prints it."""

    type: NodeType
    name: str
    kinds: tuple[tuple[str, str], ...]
    """(property, value) in the order to print: path, encoding, number of sentences …"""
    passages: tuple[Source, ...]
    """Its text (of a document) or the sentences that name it (of an entity)."""
    neighbours: tuple[Neighbour, ...]
