"""Writes the requests that ask a model for an answer: fixed instructions first, then the sources, the question last.

Control marks of chat templates in notes become plain words first: a model obeys them even as ordinary letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from noderag_local.generation.addresses import without_addresses
from noderag_local.generation.question_language import ENGLISH, NAMES
from noderag_local.models.llm.engine import Engine, Message, Request, Role, never
from noderag_local.models.llm.prompt_files import turns
from noderag_local.system.printing.plain_text import printable

_ROLES = "system|user|assistant|im_start|im_end|start_of_turn|end_of_turn|think|tool_call|tool_response|bos|eos|pad|unk"
_MARK = re.compile(rf"<\|([^<>|\n]{{1,40}})\|>|<</?(SYS)>>|\[/?(INST)\]|</?({_ROLES})>|</s>(?:<s>)?()", re.IGNORECASE)
"""Control marks of Qwen, Llama 2 and 3, Mistral, Gemma, Phi and related models. A lone <s> is HTML and stays."""


def without_control_marks(text: str) -> str:
    """Returns `text` with control marks as plain words and without invisible characters; never longer than it was."""
    return _MARK.sub(lambda mark: next(name for name in mark.groups() if name is not None), printable(text))


SHORT_TOKENS = 24
"""Most tokens of a short answer: a benchmark's answers are names, dates and short phrases."""

FROM_MEMORY = "The model answered from memory: your notes were not read."
"""Note under an answer to `compose_alone`."""

VERSION_LINE = re.compile(r"\A# version: (\d+)\n")
_FIELD = re.compile(r"\{(\w+)\}")


def compose(context: str, question: str, language: str, max_tokens: int, short: bool = False) -> Request:
    """Returns the request for an answer from sources.

    Args:
        context: numbered sources, as the packer wrote them; of these the model reads what `quoted` leaves.
        question: as the user asked it.
        language: ISO 639-1 code of the answer's language.
        max_tokens: most tokens of the answer.
        short: the answer alone, as a short phrase without citations, as benchmarks want it.
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
    return Request(messages, min(max_tokens, SHORT_TOKENS) if short else max_tokens, stop=("\n",) if short else ())


def compose_alone(question: str, language: str, max_tokens: int, short: bool = False) -> Request:
    """Returns the request for an answer without any notes, from what the model knows; arguments as `compose`."""
    asked = f"Question: {' '.join(question.split())}"
    kind = "Final answer (a few words):" if short else f"Answer in {NAMES.get(language, NAMES[ENGLISH])}:"
    messages = (
        Message(Role.SYSTEM, prompt("alone_short" if short else "alone_chat")),
        Message(Role.USER, f"{asked}\n{kind}"),
    )
    return Request(messages, min(max_tokens, SHORT_TOKENS) if short else max_tokens, stop=("\n",) if short else ())


def quoted(context: str, question: str) -> str:
    """Returns `context` as a model may read it: control marks of chat templates as plain words, no web address unasked for."""
    return without_addresses(without_control_marks(context), question)


@cache
def examples() -> tuple[Message, ...]:
    """Returns a short conversation that shows the model what is wanted: a cited answer, an abstention, another language.

    Measured with Qwen2.5-Coder-1.5B on 21 questions that the sources answer and 14 that they do not, in five languages:
    with the rules alone 12 right answers, 7 wrong abstentions and 12 right ones; with these turns 20, 0 and 8. Their
    order matters: ending with an abstention brought the wrong abstentions back. Sources with instructions that the turns do
    not follow made the model follow one or none less of ten, and abstain where the notes tell.
    """
    return turns("generation", "chat_examples")


@cache
def prompt(name: str) -> str:
    """Returns the text of a prompt file, without its version line."""
    text = files("noderag_local.generation").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    return VERSION_LINE.sub("", text).strip()


def filled(template: str, fields: dict[str, str]) -> str:
    """Returns `template` with its {fields} filled in one pass, so that braces in a note stay what they are."""
    return _FIELD.sub(lambda found: fields[found[1]], template)


def prime(engine: Engine, room_tokens: int, cancelled: Callable[[], bool] = never) -> None:
    """Lets an engine that caches what it reads read the instructions before the first question comes.

    They are several hundred tokens: seconds on a processor, which a person spends writing the question. A question that
    comes meanwhile waits for no longer than it would have taken to read them itself.

    Args:
        engine: the model.
        room_tokens: most tokens of a context and its answer. An engine that allocates as it needs would otherwise start
            again when the first question needs more.
        cancelled: asked many times a second; it then ends at once.

    Raises:
        ModelError: the engine failed.
        SettingsError: a question and its answer will not fit into the model.
    """
    stream = engine.stream(compose("", "", ENGLISH, room_tokens), cancelled)
    next(stream, None)
    stream.close()
