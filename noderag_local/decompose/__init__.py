"""From sentences to entities and keywords, by rule."""

from noderag_local.decompose.acronyms import Alias
from noderag_local.decompose.entities import (
    NameEvidence,
    aliases,
    document_mentions,
    evidence_of,
    link_name,
    mentions,
)
from noderag_local.decompose.subject import leading_entity

__all__ = [
    "Alias",
    "NameEvidence",
    "aliases",
    "document_mentions",
    "evidence_of",
    "leading_entity",
    "link_name",
    "mentions",
]
