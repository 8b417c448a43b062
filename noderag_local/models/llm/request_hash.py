"""Computes the hash of a request, by which its answer is cached and by which a stage notices that its input has changed."""

from __future__ import annotations

import hashlib
import json

from noderag_local.models.llm.engine import Request


def request_hash(request: Request) -> str:
    """Returns the hexadecimal SHA-256 of messages and limits; the constraint is part of `model_stage.cached_prompt`."""
    content = [
        [(str(message.role), message.content) for message in request.messages],
        request.max_tokens,
        list(request.stop),
        request.temperature,
        request.seed,
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
