"""Converts a turn's search and scope to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from noderag_local.domain.graph import NodeType
from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.domain.passages import Ranked, Retrieval, Scope, Source


def retrieval_document(found: Retrieval) -> str:
    """Converts a retrieval to JSON."""
    # Escaped to ASCII, since a path may contain surrogates, which SQLite rejects.
    return json.dumps(asdict(found))


def retrieval_of(document: str) -> Retrieval:
    """Converts JSON of `retrieval_document` back to a retrieval."""
    fields = json.loads(document)
    # A conversation of an earlier version has the sum of the tokens alone, which nothing shows and no use can be made of.
    fields.pop("llm_tokens", None)
    return Retrieval(
        **{
            **fields,
            "llm_use": ModelUse(**fields["llm_use"]) if "llm_use" in fields else NOTHING_ASKED,
            "sources": tuple(_source(source) for source in fields["sources"]),
            "ranked": tuple(_ranked(ranked) for ranked in fields["ranked"]),
            "seeds": _pairs(fields["seeds"]),
        }
    )


def scope_document(scope: Scope) -> str:
    """Converts a scope to JSON, with dates as ISO 8601."""
    return json.dumps(asdict(scope), default=date.isoformat)


def scope_of(document: str) -> Scope:
    """Converts JSON of `scope_document` back to a scope."""
    fields = json.loads(document)
    days = {name: date.fromisoformat(fields[name]) for name in ("since", "until") if fields[name]}
    return Scope(**{**fields, **days})


def _source(fields: Mapping[str, Any]) -> Source:
    # A conversation of before this field has no days.
    days = tuple((end, said) for end, said in fields.get("days", ()))
    return Source(**{**fields, "headings": tuple(fields["headings"]), "days": days})


def _ranked(fields: Mapping[str, Any]) -> Ranked:
    return Ranked(**{**fields, "type": NodeType(fields["type"]), "reasons": _pairs(fields["reasons"])})


def _pairs(listed: list[list[Any]]) -> tuple[tuple[str, float], ...]:
    return tuple((name, value) for name, value in listed)
