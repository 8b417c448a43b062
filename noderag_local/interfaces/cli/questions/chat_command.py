"""`noderag chat`: a conversation with the notes, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noderag_local.interfaces.cli.options import Budget, Folder, Method, Since, Tag, Until, VaultDir, opened_vault
from noderag_local.interfaces.cli.questions.ask_command import NoLlm

if TYPE_CHECKING:
    from noderag_local.domain.passages import Scope
    from noderag_local.storage.conversations.conversations import Turn
    from noderag_local.vault.ask import AskProgress
    from noderag_local.vault.vault import Vault

PROMPT = "> "

GoOn = Annotated[bool, typer.Option("--continue", help="Go on with the conversation that was changed last.")]
NoSave = Annotated[bool, typer.Option("--no-save", help="Keep nothing of this conversation.")]


def chat(
    method: Method = "",
    budget: Budget = 0,
    folder: Folder = "",
    tag: Tag = "",
    since: Since = "",
    until: Until = "",
    no_llm: NoLlm = False,
    go_on: GoOn = False,
    no_save: NoSave = False,
    vault: VaultDir = None,
) -> None:
    """Talk with your notes, one line at a time.

    Every line is a question, and it may refer to what was said before. Nothing on the screen moves or is taken back, so
    this works in a pipe, over a slow connection and with a screen reader. Ctrl-C stops an answer, Ctrl-D ends the
    conversation. It is kept with those of the interface.

    \b
    Examples:
      noderag chat
      noderag chat --continue
      noderag chat --folder ~/notes/work --budget 2000
      printf 'Who is Marta?\\nWhere does she live?\\n' | noderag chat --no-save
    """
    from noderag_local.retrieval.scope_words import scope_of

    scope = scope_of(folder, tag, since, until)
    with opened_vault(vault) as opened:
        conversation = _Conversation(opened, scope, is_saved=not no_save)
        if go_on:
            conversation.go_on()
        options = {"method": method, "budget_tokens": budget, "scope": scope, "with_model": not no_llm}
        for question in _questions():
            conversation.ask(question, options)


class _Conversation:
    """A conversation at a terminal or in a pipe."""

    def __init__(self, vault: Vault, scope: Scope, *, is_saved: bool) -> None:
        self._vault, self._scope, self._is_saved = vault, scope, is_saved
        self._number: int | None = None
        self._turns: list[Turn] = []

    def go_on(self) -> None:
        """Continues the conversation that was changed last.

        Raises:
            NotFound: there is none.
        """
        from noderag_local.domain.errors import NotFound
        from noderag_local.interfaces.cli.failures import say

        last = next(iter(self._vault.conversations.all()), None)
        if last is None:
            raise NotFound("There is no conversation to continue yet. Leave out --continue to begin one.")
        self._number = last.id
        self._turns = list(self._vault.conversations.turns(last.id))
        say(f"Continuing: {last.name}")

    def ask(self, question: str, options: dict[str, Any]) -> None:
        """Answers a question and keeps the turn.

        At a terminal, an answer that fails or is stopped leaves the conversation open; in a pipe it ends the command.

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
        from noderag_local.interfaces.cli.questions.answer_view import print_plainly

        is_first = not self._turns
        stream = self._vault.ask(question, earlier=exchanges(self._turns), progress=_tell, **options)
        stream.begin()
        print_plainly(stream, say_how_to_add_model=is_first and options["with_model"])
        if stream.result.was_begun:
            self._keep(turn_of(question, stream.result, self._scope))

    def _keep(self, turn: Turn) -> None:
        self._turns.append(turn)
        if self._is_saved:
            self._number = self._vault.conversations.add(self._number, turn).id


def _questions() -> Iterator[str]:
    """Yields the lines of standard input that are not empty; at a terminal each after a prompt."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.plain_text import printable

    is_terminal = sys.stdin.isatty()
    if is_terminal:
        say("Ask your notes. Ctrl-C stops an answer, Ctrl-D ends the conversation.")
    elif hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    while True:
        if is_terminal:
            _write(f"\n{PROMPT}")
        line = sys.stdin.readline()
        question = printable(line).strip()
        if question and not is_terminal:
            # What comes out of a pipe tells what was asked, as a terminal does.
            _write(f"{PROMPT}{question}\n")
        if question:
            yield question
        if question and not is_terminal:
            _write("\n")
        if not line:
            break
    if is_terminal:
        _write("\n")


def _tell(told: AskProgress) -> None:
    """Says how the question was understood; at a terminal also that there is something to wait for."""
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.system.printing.plain_text import printable

    if told.retrieval is None:
        return
    if told.asked_as:
        _write(f"Asked as: {printable(told.asked_as)}\n")
    if sys.stdin.isatty() and sys.stderr.isatty():
        say(told.message)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
