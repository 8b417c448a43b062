"""Answers and vectors as OpenAI's API has them."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from noderag_local.interfaces.http.requests import MODEL, EmbeddingRequest
from noderag_local.interfaces.mcp.note_tools import passage_fields
from noderag_local.system.printing.cited_place import named
from noderag_local.system.printing.plain_text import printable, printable_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from noderag_local.domain.passages import Source
    from noderag_local.generation.answering import Answer

Fields = dict[str, Any]


class ChatCompletion:
    """One answer to a request, whole or in pieces; all of its documents have one id."""

    def __init__(self) -> None:
        self._head = {"id": f"chatcmpl-{token_hex(12)}", "created": int(time.time()), "model": MODEL}

    def whole(self, answer: Answer) -> Fields:
        """Returns the document of a finished answer."""
        message = {"role": "assistant", "content": printable(answer.text), "annotations": file_annotations(answer)}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason(answer), "logprobs": None}
        told = {"object": "chat.completion", "choices": [choice], "usage": usage(answer), "noderag": extras(answer)}
        return {**self._head, **told}

    def piece(self, text: str, *, is_first: bool = False) -> bytes:
        """Returns the event of a piece of text."""
        role = {"role": "assistant"} if is_first else {}
        return self._event({"choices": [{"index": 0, "delta": {**role, "content": text}, "finish_reason": None}]})

    def last(self, answer: Answer) -> bytes:
        """Returns the last events: the sources, why the answer ended, and the end."""
        choice = {
            "index": 0,
            "delta": {"annotations": file_annotations(answer)},
            "finish_reason": finish_reason(answer),
        }
        told = {"choices": [choice], "usage": usage(answer), "noderag": extras(answer)}
        return self._event(told) + b"data: [DONE]\n\n"

    def _event(self, fields: Fields) -> bytes:
        return b"data: " + json.dumps({**self._head, "object": "chat.completion.chunk", **fields}).encode() + b"\n\n"


def file_annotations(answer: Answer) -> list[Fields]:
    """Returns a citation of a file's address for each mark [n] of the text; one that has no mark stands at the end."""
    cited = {number for part in answer.citations for number in part.numbers}
    found = []
    for source in answer.retrieval.sources:
        mark = f"[{source.number}]"
        places = [(at, at + len(mark)) for at in _places(answer.text, mark)]
        if source.number in cited or places:
            end = len(answer.text)
            found += [_annotation(source, *place) for place in places or [(end, end)]]
    return sorted(found, key=lambda one: int(one["url_citation"]["start_index"]))


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _annotation(source: Source, start: int, end: int) -> Fields:
    place = printable(named(source.path, source.first_line, source.place, source.last_line))
    told = {"start_index": start, "end_index": end, "title": place, "url": Path(source.path).as_uri()}
    return {"type": "url_citation", "url_citation": told}


def extras(answer: Answer) -> Fields:
    """Returns what OpenAI's API has no place for: the passages, and whether the notes tell."""
    cited = {number for part in answer.citations for number in part.numbers}
    fields = {
        "abstained": answer.abstained,
        "note": answer.note,
        "model": answer.model,
        "passages": [
            {"number": one.number, "cited": one.number in cited, **passage_fields(one)}
            for one in answer.retrieval.sources
        ],
    }
    # A path may have bytes that are no UTF-8, which no JSON can hold.
    return dict(printable_values(fields))


def finish_reason(answer: Answer) -> str:
    """Returns "length" for an answer that was cut, else "stop"."""
    return "length" if answer.finish.value == "length" else "stop"


def usage(answer: Answer) -> Fields:
    """Returns the tokens that the model read and wrote."""
    read = answer.completion.prompt_tokens if answer.completion else 0
    written = answer.completion.generated_tokens if answer.completion else 0
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def embedding_list(request: EmbeddingRequest, vectors: NDArray[np.float32], name: str) -> Fields:
    """Returns the document of some vectors."""
    in_base64 = request.encoding_format == "base64"
    data = [
        {
            "object": "embedding",
            "index": number,
            "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if in_base64 else row.tolist(),
        }
        for number, row in enumerate(vectors)
    ]
    return {"object": "list", "data": data, "model": name, "usage": {"prompt_tokens": 0, "total_tokens": 0}}
