"""Converts a turn's search and scope to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from noderag_local.domain.graph import NodeType
from noderag_local.domain.model_use import NOTHING_ASKED, ModelUse
from noderag_local.domain.passages import Filtering, Ranked, Retrieval, Scope, Source


def retrieval_document(found: Retrieval) -> str:
    """Converts a retrieval to JSON."""
    # Escaped to ASCII, since a path may contain surrogates, which SQLite rejects.
    return json.dumps(asdict(found))


def retrieval_of(document: str) -> Retrieval:
    """Converts JSON of `retrieval_document` back to a retrieval."""
    fields = json.loads(document)
    # A conversation of an earlier version has the sum of the tokens alone, and whether there was a filter but not which. Nothing
    # shows either, and no use can be made of them.
    for old in ("llm_tokens", "filtered"):
        fields.pop(old, None)
    return Retrieval(
        **{
            **fields,
            "llm_use": ModelUse(**fields["llm_use"]) if "llm_use" in fields else NOTHING_ASKED,
            "filtering": _filtering(fields.get("filtering")),
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
    # A conversation of before these fields has no days and no turns.
    pairs = {name: tuple((at, said) for at, said in fields.get(name, ())) for name in ("days", "turns")}
    return Source(**{**fields, **pairs, "headings": tuple(fields["headings"])})


def _filtering(fields: Mapping[str, Any] | None) -> Filtering | None:
    return None if fields is None else Filtering(**{**fields, "layers": tuple(map(tuple, fields["layers"]))})


def _ranked(fields: Mapping[str, Any]) -> Ranked:
    return Ranked(**{**fields, "type": NodeType(fields["type"]), "reasons": _pairs(fields["reasons"])})


def _pairs(listed: list[list[Any]]) -> tuple[tuple[str, float], ...]:
    return tuple((name, value) for name, value in listed)
