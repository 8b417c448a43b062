"""Defines the commands of `noderag` and the text of `noderag --help`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from noderag_local.interfaces.cli.machine.bench_command import bench
from noderag_local.interfaces.cli.machine.browser_command import browser
from noderag_local.interfaces.cli.machine.completion_command import completion
from noderag_local.interfaces.cli.machine.doctor_command import doctor
from noderag_local.interfaces.cli.machine.help_command import help_
from noderag_local.interfaces.cli.machine.logged import logged
from noderag_local.interfaces.cli.machine.mcp_command import mcp
from noderag_local.interfaces.cli.machine.models_command import models_app
from noderag_local.interfaces.cli.machine.resident_command import resident
from noderag_local.interfaces.cli.machine.serve_command import serve
from noderag_local.interfaces.cli.machine.ui_command import ui
from noderag_local.interfaces.cli.notes.add_command import AddCommand, add
from noderag_local.interfaces.cli.notes.enrich_command import enrich
from noderag_local.interfaces.cli.notes.forget_command import forget
from noderag_local.interfaces.cli.notes.index_command import index
from noderag_local.interfaces.cli.notes.names_command import names_app
from noderag_local.interfaces.cli.notes.show_command import show
from noderag_local.interfaces.cli.notes.stats_command import stats
from noderag_local.interfaces.cli.notes.today_command import today
from noderag_local.interfaces.cli.notes.watch_command import watch
from noderag_local.interfaces.cli.options import VaultDir
from noderag_local.interfaces.cli.questions.ask_command import ask
from noderag_local.interfaces.cli.questions.chat_command import chat
from noderag_local.interfaces.cli.questions.convert_command import convert
from noderag_local.interfaces.cli.questions.demo_command import demo
from noderag_local.interfaces.cli.questions.evaluate_command import evaluate
from noderag_local.interfaces.cli.questions.judge_command import judge
from noderag_local.interfaces.cli.questions.methods_command import methods
from noderag_local.interfaces.cli.questions.questions_command import questions
from noderag_local.interfaces.cli.questions.search_command import search
from noderag_local.interfaces.cli.safety.backup_commands import backup, restore
from noderag_local.interfaces.cli.safety.bundle_command import bundle
from noderag_local.interfaces.cli.safety.encryption_commands import change_passphrase, decrypt, encrypt
from noderag_local.interfaces.cli.safety.exchange_commands import export, import_

HELP = """Questions to your own notes, answered on your own machine, with citations.

\b
Start:
  noderag                  the terminal interface
  noderag demo
  noderag index ~/notes
  noderag ask "When does the lease end?"
  noderag help             the manual
"""

EXIT_CODES = """\b
Exit codes:
  0 done                      6 a model is missing or damaged
  1 something else failed     7 nothing has this name
  2 wrong usage or setting    8 the vault lacks what the method needs
  3 a file cannot be read     9 something tried to use the network
  4 the vault cannot be used  10 the Ray of --on cannot be used
  5 the vault is being        70 a bug in noderag
    written by another        130 stopped by Ctrl-C
                              141 the reader of a pipe left
"""


class Commands(TyperGroup):
    """The group of all commands. If a question stands in place of a command, the error says how to ask it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Finds the command that the first word names.

        Raises:
            UsageError: there is no such command.
        """
        if " " in args[0].strip() and not ctx.resilient_parsing:
            ctx.fail(f'No such command. To ask a question: noderag ask "{args[0]}"')
        return super().resolve_command(ctx, args)


# Without rich's panels, which take 80 ms to load.
app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from noderag_local import __version__

        typer.echo(f"noderag {__version__}")
        raise typer.Exit


@app.callback(help=HELP, epilog=EXIT_CODES)
def root(
    context: typer.Context,
    vault: VaultDir = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an unexpected error happened.")] = False,
) -> None:
    """Opens the interface if no command follows.

    A command reads `vault` from the context, and `run` reads --debug, because errors reach it after parsing.
    """
    if context.invoked_subcommand is None:
        ui(context, vault)


for command in (
    ui,
    index,
    watch,
    add,
    forget,
    enrich,
    search,
    ask,
    chat,
    methods,
    show,
    today,
    stats,
    mcp,
    serve,
    browser,
    resident,
    doctor,
    backup,
    restore,
    demo,
):
    app.command(cls=AddCommand if command is add else None)(logged(command))
app.command()(logged(encrypt))
app.command()(logged(decrypt))
app.command("passphrase")(logged(change_passphrase))
app.command()(logged(export))
app.command("import")(logged(import_))
app.command()(logged(bundle))
app.command()(logged(convert))
app.command("eval")(logged(evaluate))
app.command()(logged(questions))
app.command()(logged(judge))
app.command("help")(logged(help_))
app.command()(logged(completion))
models_app.command()(logged(bench))
app.add_typer(models_app)
app.add_typer(names_app)
