"""`noderag judge`: lets a language model compare answers to open questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.notes.index_command import ByLines
from noderag_local.interfaces.cli.options import AsJson, Budget, VaultDir
from noderag_local.interfaces.cli.questions.corpus import (
    Corpus,
    DumpFile,
    Limit,
    corpus_vault,
    index_corpus,
    provenance_of,
)
from noderag_local.system.paths import absolute
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noderag_local.evaluation.judging.judge_dump import JudgeDump
    from noderag_local.evaluation.judging.win_rates import Judged
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.models.llm.engine import Engine
    from noderag_local.vault.vault import Vault

Questions = Annotated[
    Path,
    typer.Argument(metavar="QUESTIONS.json", help='Open questions: a list of {"id", "question"}.', show_default=False),
]
Methods = Annotated[
    str,
    typer.Option(
        "--methods",
        metavar="A,B",
        help="Methods; the first is compared with each of the others. gold: the answers of the file.",
        show_default="noderag,naive",
    ),
]


def judge(
    questions: Questions,
    corpus: Corpus,
    by_lines: ByLines = False,
    methods: Methods = "noderag,naive",
    budget: Budget = None,
    limit: Limit = 0,
    dump: DumpFile = None,
    vault: VaultDir = None,
    as_json: AsJson = False,
) -> None:
    """Compare answers to open questions, two methods at a time.

    The language model answers with each method and then judges which answer is better: in comprehensiveness, diversity,
    empowerment and overall, in both orders. An answer wins if both orders name it. A win rate counts a tie as half a win, and
    a star marks one whose interval leaves out 50. The column of flips says how reliable the judge is: at 50 % its verdicts are as good as chance.

    \b
    Examples:
      noderag judge open.json --corpus ~/notes --methods noderag,naive --dump judged.jsonl
      noderag judge open.json --corpus corpus.jsonl --methods noderag,light-hybrid,zero-shot --budget 2000
    """
    from contextlib import closing

    from noderag_local.config import load_settings
    from noderag_local.evaluation.judging.judging import GOLD
    from noderag_local.evaluation.questions import read_open_questions
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop
    from noderag_local.interfaces.cli.safety.ask_passphrase import unlock_at_terminal
    from noderag_local.interfaces.cli.safety.unfinished_forgetting import finish_forgetting
    from noderag_local.models.language_model import LanguageModel
    from noderag_local.vault.vault import Vault

    asked = read_open_questions(questions)[: limit or None]
    pairs = _pairs(methods)
    if any(GOLD in pair for pair in pairs) and not any(question.answers for question in asked):
        raise typer.BadParameter(f"--methods names gold, and no question of {questions} has an answer; leave it out")
    if all(GOLD in pair for pair in pairs):
        asked = tuple(question for question in asked if question.answers)
    settings = load_settings(vault=vault or corpus_vault(corpus), budget_tokens=budget or None)
    unlock_at_terminal(absolute(settings.vault))
    with (
        clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
        closing(LanguageModel(settings)) as model,
        Vault(absolute(settings.vault), settings, model) as opened,
    ):
        finish_forgetting(opened)
        engine = model.needed("Judging")
        index_corpus(opened, corpus, by_lines, stop)
        judged = [] if stop.asked() else _judge(opened, engine, asked, pairs, dump, stop)
        tell_of_plain_copy(opened, dump)
    _print_rates(judged, as_json)
    if stop.asked():
        raise typer.Exit(STOPPED)


def _pairs(methods: str) -> list[tuple[str, str]]:
    """Returns the first method paired with each of the others."""
    from noderag_local.evaluation.judging.judging import GOLD
    from noderag_local.retrieval.method_spec import listed_specs
    from noderag_local.retrieval.retriever import canonical

    named = (method if method == GOLD else canonical(method) for method in listed_specs(methods))
    first, *others = list(dict.fromkeys(named)) or [""]
    if not others:
        raise typer.BadParameter(f"--methods {methods!r} should name two methods or more, such as noderag,naive")
    return [(first, other) for other in others]


def _judge(
    vault: Vault,
    engine: Engine,
    questions: Sequence[EvalQuestion],
    pairs: Sequence[tuple[str, str]],
    path: Path | None,
    stop: Interruption,
) -> list[Judged]:
    """Makes the answers, then the verdicts; if it is stopped, returns those that are finished."""
    from noderag_local.evaluation.judging.judge_dump import JudgeDump

    budget_tokens = vault.settings.budget_tokens
    with JudgeDump(path, provenance_of(vault, engine.name), budget_tokens) as dump:
        _answer(vault, questions, pairs, dump, stop)
        _compare(engine, questions, pairs, dump, stop)
        return dump.judged(questions, pairs)


def _answer(
    vault: Vault,
    questions: Sequence[EvalQuestion],
    pairs: Sequence[tuple[str, str]],
    dump: JudgeDump,
    stop: Interruption,
) -> None:
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.judging.judging import give_answers
    from noderag_local.interfaces.cli.stage_bars import shown_stages

    methods = list(dict.fromkeys(method for pair in pairs for method in pair))
    places = {question.id: place for place, question in enumerate(questions, start=1)}
    with shown_stages() as progress:
        answers = give_answers(
            vault,
            questions,
            methods,
            vault.settings.budget_tokens,
            is_done=dump.has_answer,
            cancelled=stop.asked,
        )
        for answer in answers:
            dump.keep(answer)
            progress(Progress(f"answers, {answer.method}", places[answer.question], len(questions), "questions"))


def _compare(
    engine: Engine,
    questions: Sequence[EvalQuestion],
    pairs: Sequence[tuple[str, str]],
    dump: JudgeDump,
    stop: Interruption,
) -> None:
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.judging.judging import give_verdicts
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.interfaces.cli.stage_bars import shown_stages
    from noderag_local.system.printing.amounts import counted

    duels = [duel for duel in dump.duels(questions, pairs) if not duel.is_decided and dump.verdict(duel) is None]
    done = 0
    with shown_stages() as progress:
        for done, verdict in enumerate(give_verdicts(engine, duels, stop.asked), start=1):
            dump.keep(verdict)
            progress(Progress("verdicts", done, len(duels), "verdicts"))
    if done < len(duels) and not stop.asked():
        say(f"{len(duels) - done} of {counted(len(duels), 'verdicts')} could not be read; their pairs are left out.")


def _print_rates(judged: Sequence[Judged], as_json: bool) -> None:
    from noderag_local.evaluation.judging.win_rates import table, win_rates
    from noderag_local.interfaces.cli.json_output import print_document

    rates = win_rates(judged)
    if as_json:
        print_document(rates)
    elif rates:
        typer.echo(printable(table(rates)))
