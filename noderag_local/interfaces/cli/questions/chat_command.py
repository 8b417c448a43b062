"""`noderag chat`: a conversation with the notes, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from noderag_local.interfaces.cli.options import (
    Budget,
    Folder,
    Method,
    Set,
    Since,
    Tag,
    Until,
    VaultDir,
    method_with,
    opened_vault,
)
from noderag_local.interfaces.cli.questions.ask_command import NoLlm

if TYPE_CHECKING:
    from noderag_local.domain.passages import Scope
    from noderag_local.generation.answering import Answer
    from noderag_local.storage.conversations.conversations import Turn
    from noderag_local.vault.ask import AskProgress
    from noderag_local.vault.vault import Vault

PROMPT = "> "

GoOn = Annotated[bool, typer.Option("--continue", help="Continue the most recent conversation.")]
NoSave = Annotated[bool, typer.Option("--no-save", help="Do not store this conversation.")]
JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON document for each answer, each on its own line, for programs.")
]


def chat(
    method: Method = "",
    assignments: Set = None,
    budget: Budget = None,
    folder: Folder = "",
    tag: Tag = "",
    since: Since = "",
    until: Until = "",
    no_llm: NoLlm = False,
    go_on: GoOn = False,
    no_save: NoSave = False,
    vault: VaultDir = None,
    as_json: JsonLines = False,
) -> None:
    """Talk with your notes, one line at a time.

    Every line is a question, and it may refer to what was said before. Printed text never changes, so this works in a pipe,
    over a slow connection and with a screen reader. At a terminal, the arrow keys edit the line and recall earlier questions.
    Ctrl-C stops an answer, Ctrl-D ends the conversation. The interface lists the conversation with its own ones.

    \b
    Examples:
      noderag chat
      noderag chat --continue
      noderag chat --folder ~/notes/work --budget 2000
      printf 'Who is Marta?\\nWhere does she live?\\n' | noderag chat --no-save --json
    """
    from noderag_local.retrieval.scope_words import scope_of

    scope = scope_of(folder, tag, since, until)
    with opened_vault(vault) as opened:
        is_saved = not no_save and _can_be_saved(opened)
        conversation = _Conversation(opened, scope, is_saved=is_saved, as_json=as_json)
        if go_on:
            conversation.go_on()
        chosen = method_with(opened, method, assignments)
        options = {"method": chosen, "budget_tokens": budget or 0, "scope": scope, "with_model": not no_llm}
        for question in _questions(conversation.questions, as_json):
            conversation.ask(question, options)


def _can_be_saved(vault: Vault) -> bool:
    """Returns whether conversations can be stored; says it once where they cannot."""
    from noderag_local.interfaces.cli.failures import say

    if vault.conversations.is_read_only:
        say(f"{vault.folder} is read-only here, so this conversation is not stored.")
    return not vault.conversations.is_read_only


class _Conversation:
    """A conversation at a terminal or in a pipe."""

    def __init__(self, vault: Vault, scope: Scope, *, is_saved: bool, as_json: bool) -> None:
        self._vault, self._scope, self._is_saved, self._as_json = vault, scope, is_saved, as_json
        self._number: int | None = None
        self._turns: list[Turn] = []

    @property
    def questions(self) -> list[str]:
        """Earlier questions of the conversation, oldest first."""
        return [turn.question for turn in self._turns]

    def go_on(self) -> None:
        """Continues the conversation that was changed last.

        Raises:
            NotFound: no conversation is stored.
        """
        from noderag_local.domain.errors import NotFound
        from noderag_local.interfaces.cli.failures import say

        last = next(iter(self._vault.conversations.all()), None)
        if last is None:
            raise NotFound("There is no conversation to continue yet. Leave out --continue to start one.")
        self._number = last.id
        self._turns = list(self._vault.conversations.turns(last.id))
        say(f"Continuing: {last.name}")

    def ask(self, question: str, options: dict[str, Any]) -> None:
        """Answers a question and stores the turn.

        At a terminal, a failed or stopped answer does not end the conversation; in a pipe it ends the command.

        Raises:
            typer.Exit: the answer was stopped.
            NoderagError: the question cannot be answered.
        """
        from noderag_local.domain.errors import ModelError
        from noderag_local.interfaces.cli.failures import STOPPED, say
        from noderag_local.interfaces.cli.interruption import clean_stop

        with clean_stop("") as stop:
            try:
                self._answer(question, {**options, "cancelled": stop.asked})
            except ModelError as error:
                if not sys.stdin.isatty():
                    raise
                say(f"Error: {error}")
        if stop.asked() and not sys.stdin.isatty():
            raise typer.Exit(STOPPED)

    def _answer(self, question: str, options: dict[str, Any]) -> None:
        from noderag_local.generation.follow_up import exchanges, turn_of

        is_first = not self._turns
        tell = _tell_state if self._as_json else _tell
        stream = self._vault.ask(question, earlier=exchanges(self._turns), progress=tell, **options)
        stream.begin()
        if not self._as_json:
            from noderag_local.interfaces.cli.questions.answer_view import print_plainly

            print_plainly(stream, say_how_to_add_model=is_first and options["with_model"])
        answer = stream.finish()
        if answer.was_begun:
            self._keep(turn_of(question, answer, self._scope))
        if self._as_json:
            self._print_document(question, answer)

    def _keep(self, turn: Turn) -> None:
        """Stores a turn; one that quotes what was forgotten meanwhile is not even remembered for the next question."""
        from noderag_local.domain.errors import QuotesForgotten
        from noderag_local.interfaces.cli.failures import say

        if self._is_saved:
            try:
                self._number = self._vault.conversations.add(self._number, turn).id
            except QuotesForgotten as error:
                say(str(error))
                return
        self._turns.append(turn)

    def _print_document(self, question: str, answer: Answer) -> None:
        from noderag_local.interfaces.cli.json_output import print_line
        from noderag_local.interfaces.cli.questions.answer_view import answer_fields

        own = {"question": question, "conversation": self._number}
        print_line({**answer_fields(answer), **own})


def _questions(earlier: Sequence[str], as_json: bool) -> Iterator[str]:
    """Yields the lines of standard input that are not empty; at a terminal, shows a prompt before each.

    Args:
        earlier: questions that the arrow keys recall.
        as_json: True sends prompts to stderr, since stdout is for the answers only.
    """
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.plain_text import printable

    is_terminal = sys.stdin.isatty()
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    if is_terminal:
        _remember(earlier)
        say("Ask your notes. Ctrl-C stops an answer, Ctrl-D ends the conversation.")
    # Repeats the questions, so that the output of a pipe contains them like that of a terminal.
    is_echoed = not is_terminal and not as_json
    while line := _typed_line(as_json) if is_terminal else sys.stdin.readline():
        question = printable(line).strip()
        if not question:
            if is_terminal:
                say("Type a question. Ctrl-D ends the conversation.")
            continue
        if is_echoed:
            _write(f"{PROMPT}{question}\n")
        yield question
        if is_echoed:
            _write("\n")
    if is_terminal:
        _write("\n", sys.stderr if as_json else sys.stdout)


def _remember(earlier: Sequence[str]) -> None:
    """Loads line editing for `input`, and puts earlier questions into its history.

    The history is kept only in memory, since questions are as private as notes.
    """
    try:
        import readline
    except ImportError:
        # Windows, whose console has its own line editing.
        return
    for question in earlier:
        readline.add_history(question)


def _typed_line(as_json: bool) -> str:
    """Returns the next line that a person types, with its line end; "" after Ctrl-D."""
    prompts = sys.stderr if as_json else sys.stdout
    _write("\n", prompts)
    if not sys.stdout.isatty():
        # `input` edits lines only if both input and output are a terminal.
        _write(PROMPT, prompts)
        return sys.stdin.readline()
    try:
        return input(PROMPT) + "\n"
    except EOFError:
        return ""


def _tell(told: AskProgress) -> None:
    """Prints how the question was understood; at a terminal, also what it is waiting for."""
    from noderag_local.system.printing.plain_text import printable

    if told.retrieval is not None and told.asked_as:
        _write(f"Asked as: {printable(told.asked_as)}\n")
    _tell_state(told)


def _tell_state(told: AskProgress) -> None:
    """Shows at a terminal what the command is waiting for."""
    from noderag_local.interfaces.cli.failures import say

    if told.retrieval is not None and sys.stdin.isatty() and sys.stderr.isatty():
        say(told.message)


def _write(text: str, stream: TextIO | None = None) -> None:
    """Writes text immediately to stdout or another stream."""
    chosen = stream or sys.stdout
    chosen.write(text)
    chosen.flush()
