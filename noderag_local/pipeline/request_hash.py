"""What tells requests apart."""

from __future__ import annotations

import hashlib
import json

from noderag_local.graph.summaries.model_stage import Stage
from noderag_local.models.llm.engine import Request


def cached_prompt(stage: Stage) -> str:
    """By which the cache knows prompt, constraint and parser of a stage."""
    return f"{stage.name} {stage.prompt_version}"


def request_hash(request: Request) -> str:
    """SHA-256 of messages and limits, hexadecimal; the constraint is part of the prompt's version."""
    content = [
        [(str(message.role), message.content) for message in request.messages],
        request.max_tokens,
        list(request.stop),
        request.temperature,
        request.seed,
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
