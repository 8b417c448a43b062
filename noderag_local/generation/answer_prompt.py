"""Builds the requests that ask a model for an answer: fixed instructions first, then the sources, then the question.

Control tokens of chat templates in notes are replaced by plain words, since a model obeys them even when written as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from noderag_local.generation.addresses import without_addresses
from noderag_local.generation.question_language import ENGLISH, NAMES
from noderag_local.models.llm.engine import Engine, Message, Request, Role, never, read_prompt
from noderag_local.models.llm.prompt_files import turns
from noderag_local.system.printing.plain_text import printable

_ROLES = "system|user|assistant|im_start|im_end|start_of_turn|end_of_turn|think|tool_call|tool_response|bos|eos|pad|unk"
_MARK = re.compile(rf"<\|([^<>|\n]{{1,40}})\|>|<</?(SYS)>>|\[/?(INST)\]|</?({_ROLES})>|</s>(?:<s>)?()", re.IGNORECASE)
"""Control tokens of Qwen, Llama 2 and 3, Mistral, Gemma, Phi and related models. A lone <s> is HTML and stays."""


def without_control_marks(text: str) -> str:
    """Returns `text` with control tokens as plain words and without invisible characters; never longer than `text`."""
    return _MARK.sub(lambda mark: next(name for name in mark.groups() if name is not None), printable(text))


SHORT_TOKENS = 24
"""Maximum tokens of a short answer: a benchmark's answers are names, dates and short phrases."""

FROM_MEMORY = "The model answered from memory: your notes were not read."
"""Note shown under an answer that was given without notes."""

VERSION_LINE = re.compile(r"\A# version: (\d+)\n")
_FIELD = re.compile(r"\{(\w+)\}")


def compose(context: str, question: str, language: str, max_tokens: int, short: bool = False) -> Request:
    """Returns the request for an answer from sources.

    Args:
        context: numbered sources from the packer; the model reads them as `quoted` returns them.
        question: as the user asked it.
        language: ISO 639-1 code of the answer's language.
        max_tokens: maximum tokens of the answer.
        short: True asks for a short phrase without citations, as benchmarks need it.
    """
    kind = "short" if short else "chat"
    fields = {
        "context": quoted(context, question).strip(),
        "question": " ".join(question.split()),
        "language": NAMES.get(language, NAMES[ENGLISH]),
    }
    messages = (
        Message(Role.SYSTEM, prompt(f"{kind}_system")),
        *(() if short else examples()),
        Message(Role.USER, filled(prompt(f"{kind}_user"), fields)),
    )
    return _asking(messages, max_tokens, short)


def compose_alone(question: str, language: str, max_tokens: int, short: bool = False) -> Request:
    """Returns the request for an answer from the model's own knowledge, without notes; arguments as in `compose`."""
    asked = f"Question: {' '.join(question.split())}"
    kind = "Final answer (a few words):" if short else f"Answer in {NAMES.get(language, NAMES[ENGLISH])}:"
    messages = (
        Message(Role.SYSTEM, prompt("alone_short" if short else "alone_chat")),
        Message(Role.USER, f"{asked}\n{kind}"),
    )
    return _asking(messages, max_tokens, short)


def _asking(messages: tuple[Message, ...], max_tokens: int, short: bool) -> Request:
    """A short answer is one line; of any other, the model's certainty up to the first citation is asked for."""
    if short:
        return Request(messages, min(max_tokens, SHORT_TOKENS), stop=("\n",))
    return Request(messages, max_tokens, weighed_until="[")


def quoted(context: str, question: str) -> str:
    """Returns `context` for a model to read: without control tokens, with web addresses only if the question asks for them."""
    return without_addresses(without_control_marks(context), question)


@cache
def examples() -> tuple[Message, ...]:
    """Returns example turns that show the model what is wanted: cited answers, abstentions and another language.

    The sources are notes as people jot them down. With whole sentences in their place, of 80 questions of tests/data/lives/ghent that
    the notes answer, the default model left 33 open and answered 23 rightly; with these, and half of the tokens, 9 and 33. The order
    matters: with an abstention as the last turn, wrong abstentions came back. What the examples speak of must be rare: an example about
    a dentist became the answer to a question about one. Turns whose sources contain instructions made the model obey at most
    one instruction less of ten, and abstain where the notes contain the answer.
    """
    return turns("generation", "chat_examples")


@cache
def prompt(name: str) -> str:
    """Returns the text of a prompt file, without its version line."""
    text = files("noderag_local.generation").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    return VERSION_LINE.sub("", text).strip()


def filled(template: str, fields: dict[str, str]) -> str:
    """Returns `template` with its {fields} filled in one pass, so that braces in a note stay unchanged."""
    return _FIELD.sub(lambda found: fields[found[1]], template)


def prime(engine: Engine, room_tokens: int, cancelled: Callable[[], bool] = never) -> None:
    """Lets an engine with a cache read the instructions before the first question arrives.

    They are several hundred tokens, which take a processor seconds; meanwhile the person writes the question. A question
    that arrives earlier waits no longer than if it had to read the instructions itself.

    Args:
        engine: engine that reads the instructions.
        room_tokens: maximum tokens of a context and its answer. An engine that allocates memory as needed would otherwise
            start over when the first question needs more.
        cancelled: called many times a second; when it returns True, reading stops at once.

    Raises:
        ModelError: the engine failed.
        SettingsError: a question and its answer do not fit into the model.
    """
    read_prompt(engine, compose("", "", ENGLISH, room_tokens), cancelled)
