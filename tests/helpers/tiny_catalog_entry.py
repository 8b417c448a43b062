"""A model of the catalogue that is a few kilobytes of a test."""

from __future__ import annotations

import hashlib

from noderag_local.models.llm.gguf_files.catalog import CatalogEntry, ModelRole, Source


def tiny_entry(body: bytes, *sources: Source) -> CatalogEntry:
    """An entry called "tiny" whose file has this content."""
    return CatalogEntry(
        name="tiny",
        role=ModelRole.CHAT,
        description="for tests",
        licence="CC0-1.0",
        size_bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        context_tokens=4096,
        prompt_style="chat template of the file",
        sources=sources,
    )
