"""Types of nodes, edges and layers, parts of the graph, and the records for mentions and neighbours of an entity."""

from __future__ import annotations

from dataclasses import dataclass
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
    """A community of ArchRAG, on one of several levels; C is a community of NodeRAG."""
    PROFILE = "P"
    """LightRAG's profile of an entity or relationship: keys to search by, and a text."""
    WRITTEN_UNIT = "W"
    """A semantic unit in the model's words, beside the sentences that it is made of."""


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
    PROFILES = "profiles"
    """profile – the entity, with the names merged into it, or the relationship that it is of; written unit – semantic unit"""
    DRAWN = "drawn"
    """profile or written unit – sentence that it may tell of"""


class Layer(StrEnum):
    """A part of a vault that a retrieval method can need; each is made by a stage of the pipeline."""

    TEXT = "text"
    """documents, chunks, sentences and their full-text index"""
    GRAPH = "graph"
    """entities, keywords and their edges"""
    VECTORS = "vectors"
    """embeddings of chunks and sentences, semantic edges"""
    SUMMARIES = "summaries"
    """attributes and high-level elements, which the language model writes"""


class GraphPart(StrEnum):
    """Part of the graph that a method searches."""

    ALL = "all"
    """All of the graph: the model's findings, and everywhere those of the rules."""
    MODEL = "model"
    """The model's findings alone in chunks that it has read, and those of the rules in all others."""
    RULES = "rules"
    """The findings of the rules alone, as if the model had read nothing."""


class EntityKind(StrEnum):
    """Rule by which an entity was found."""

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
    """Name as the sentence spells it."""
    kind: EntityKind


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node that an edge connects with another one."""

    type: NodeType
    name: str
    edge: EdgeType
    weight: float
