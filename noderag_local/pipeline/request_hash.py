"""Computes the keys of the cache of the model's answers."""

from __future__ import annotations

import hashlib
import json

from noderag_local.graph.summaries.model_stage import Stage
from noderag_local.models.llm.engine import Request


def cached_prompt(stage: Stage) -> str:
    """Returns the key of a stage's prompt, constraint and parser in the cache."""
    return f"{stage.name} {stage.prompt_version}"


def request_hash(request: Request) -> str:
    """Returns the hexadecimal SHA-256 of messages and limits; the constraint is part of `cached_prompt`."""
    content = [
        [(str(message.role), message.content) for message in request.messages],
        request.max_tokens,
        list(request.stop),
        request.temperature,
        request.seed,
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
