"""The request that asks a model: instructions first and always the same, then the sources, the question last."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from noderag_local.answer.language import ENGLISH, NAMES
from noderag_local.llm.engine import Message, Request, Role
from noderag_local.llm.prompt_files import turns

SHORT_TOKENS = 24
"""Most tokens of a short answer: a benchmark's answers are names, dates and short phrases."""

VERSION_LINE = re.compile(r"\A# version: (\d+)\n")
_FIELD = re.compile(r"\{(\w+)\}")


def compose(
    context: str,
    question: str,
    language: str,
    max_tokens: int,
    short: bool = False,
    said: Sequence[tuple[str, str]] = (),
) -> Request:
    """The request for an answer.

    Args:
        context: numbered sources, as the packer wrote them.
        question: as the user asked it.
        language: ISO 639-1 code of the answer's language.
        max_tokens: most tokens of the answer.
        short: the answer alone, as a short phrase without citations, as benchmarks want it.
        said: simple questions about the same sources that were answered in a short phrase before, and the answers.
    """
    kind = "short" if short else "chat"
    messages = (*_beginning(kind), *_conversation(context, [*said, (question, "")], kind, language))
    return Request(messages, min(max_tokens, SHORT_TOKENS) if short else max_tokens, stop=("\n",) if short else ())


def compose_step(
    context: str, question: str, language: str, short: bool = False, said: Sequence[tuple[str, str]] = ()
) -> Request:
    """The request for the answer to a simple question, in the conversation that `compose` with the same arguments goes on with."""
    kind = "short" if short else "chat"
    messages = (*_beginning(kind), *_conversation(context, [*said, (question, "")], "short", language))
    return Request(messages, SHORT_TOKENS, stop=("\n",))


def _beginning(kind: str) -> tuple[Message, ...]:
    return (Message(Role.SYSTEM, prompt(f"{kind}_system")), *(examples() if kind == "chat" else ()))


def _conversation(context: str, said: Sequence[tuple[str, str]], kind: str, language: str) -> Iterator[Message]:
    """Question and answer in turns, the sources before the first, the last question without its answer; `kind` is that of the last."""
    for place, (question, answer) in enumerate(said):
        is_last = place == len(said) - 1
        fields = {"question": " ".join(question.split()), "language": NAMES.get(language, NAMES[ENGLISH])}
        asked = filled(prompt(f"{kind if is_last else 'short'}_question"), fields)
        if not place:
            asked = filled(prompt("sources"), {"context": context.strip(), "question": asked})
        yield Message(Role.USER, asked)
        if not is_last:
            yield Message(Role.ASSISTANT, answer)


@cache
def examples() -> tuple[Message, ...]:
    """A short conversation that shows what is wanted: a cited answer, an abstention, another language.

    Measured with Qwen2.5-Coder-1.5B on 21 questions that the sources answer and 14 that they do not, in five languages:
    with the rules alone 12 right answers, 7 wrong abstentions and 12 right ones; with these turns 20, 0 and 8. Their
    order matters: ending with an abstention brought the wrong abstentions back.
    """
    return turns("answer", "chat_examples")


@cache
def prompt(name: str) -> str:
    """The text of a prompt file, without its version line."""
    text = files("noderag_local.answer").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    return VERSION_LINE.sub("", text).strip()


def filled(template: str, fields: dict[str, str]) -> str:
    """`template` with its {fields} in one pass, so that braces in a note stay what they are."""
    return _FIELD.sub(lambda found: fields[found[1]], template)
