"""Runs the questions of `noderag eval` on a corpus, which is indexed first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from noderag_local.evaluation.metered_model import Meter
from noderag_local.evaluation.runs import AnswerForm, Run, run_questions
from noderag_local.interfaces.cli.disk_notes import tell_of_plain_copy
from noderag_local.interfaces.cli.options import opened_vault
from noderag_local.interfaces.cli.questions.corpus import corpus_vault, index_corpus, provenance_of

if TYPE_CHECKING:
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.provenance import Provenance
    from noderag_local.evaluation.questions import EvalQuestion
    from noderag_local.interfaces.cli.interruption import Interruption
    from noderag_local.vault.vault import Vault

EVERY_METHOD = "all"
"""Value of --methods that selects all methods."""


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """The questions, methods and budgets of an evaluation on a corpus."""

    questions: Sequence[EvalQuestion]
    methods: str
    """Value of --methods."""
    assignments: Sequence[str]
    """Values of --set."""
    budgets: Sequence[int]
    """Tokens of the contexts."""
    form: AnswerForm | None
    """Form of the answers; None for no answers."""
    dump: Path | None
    """File of the runs; None to store nothing."""

    def on(
        self, corpus: Path, by_lines: bool, folder: Path | None, cache: Path | None, report: Path | None
    ) -> tuple[Provenance, list[Run], bool]:
        """Indexes a corpus and runs the questions on it.

        Args:
            corpus: file or folder.
            by_lines: whether each line of a text file is a document of its own.
            folder: folder of the vault; None for one of the corpus's own.
            cache: file of what the model writes; None for none.
            report: folder in which a report will quote the corpus; None for none.

        Returns:
            What the runs were made with, all runs including earlier ones, and whether Ctrl-C was pressed.

        Raises:
            Exit: Ctrl-C was pressed before the first question.
            SourceError: the corpus cannot be read, or the dump not be written.
            ModelMissing: answers were asked for, and there is no language model.
        """
        from noderag_local.interfaces.cli.failures import STOPPED
        from noderag_local.interfaces.cli.interruption import clean_stop

        meter = Meter()
        with (
            clean_stop("Stopping; what is done is kept. Ctrl-C again stops at once.") as stop,
            opened_vault(folder or corpus_vault(corpus), cache=cache, meter=meter) as vault,
        ):
            index_corpus(vault, corpus, by_lines, stop)
            if stop.asked():
                raise typer.Exit(STOPPED)
            provenance, runs = self._runs(vault, meter, stop)
            for written in (self.dump, report):
                tell_of_plain_copy(vault, written)
            return provenance, runs, stop.asked()

    def _runs(self, vault: Vault, meter: Meter, stop: Interruption) -> tuple[Provenance, list[Run]]:
        from noderag_local.evaluation.dump import Dump
        from noderag_local.interfaces.cli.stage_bars import shown_stages
        from noderag_local.retrieval.retriever import asks_model
        from noderag_local.retrieval.variants import variants

        vault.count_exactly()
        model = vault.open_model() if self.form else ""
        named = chosen_methods(vault, self.methods, self.questions[0].question, answered=bool(model))
        methods = variants(named, self.assignments)
        if self.form is None and any(map(asks_model, methods)):
            model = vault.open_model()
        provenance = provenance_of(vault, model)
        with Dump(self.dump, provenance, self.questions) as dump, shown_stages() as progress:
            runs = run_questions(
                vault,
                self.questions,
                methods,
                self.budgets,
                form=self.form,
                is_done=lambda question, method, budget: dump.has(question, method, budget, self.form),
                meter=meter,
                cancelled=stop.asked,
            )
            for run in runs:
                dump.keep(run)
                tell_run(progress, run, self.questions.index(run.question) + 1, len(self.questions))
            return provenance, dump.of(methods, self.budgets)


def chosen_methods(vault: Vault, wanted: str, question: str, answered: bool) -> list[str]:
    """Returns the named methods, or all that can run; prints why the others cannot."""
    from noderag_local.evaluation.runs import runnable
    from noderag_local.interfaces.cli.failures import say
    from noderag_local.retrieval.method_spec import listed_specs

    named = listed_specs(wanted)
    if named != [EVERY_METHOD]:
        return named or [vault.settings.method]
    able, left_out = runnable(vault, question, answered=answered)
    for name, reason in left_out:
        say(f"{name} is left out. {reason}")
    return able


def tell_run(progress: Callable[[Progress], None], run: Run, number: int, of: int) -> None:
    """Shows the progress of a method at a budget."""
    from noderag_local.domain.progress import Progress

    progress(Progress(f"{run.method}, {run.budget_tokens:,} tokens", number, of, "questions"))
