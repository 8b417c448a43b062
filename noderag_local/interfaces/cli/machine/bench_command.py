"""`noderag models bench`: measures how well a model reads notes, and how quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from noderag_local.interfaces.cli.json_output import print_document
from noderag_local.interfaces.cli.machine.models_command import AsJson, ModelsDir
from noderag_local.system.printing.plain_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noderag_local.config import Settings
    from noderag_local.evaluation.model_bench.bench import ModelScore, ReadingAnswer
    from noderag_local.evaluation.model_bench.reading_questions import ReadingQuestion
    from noderag_local.evaluation.runs import Run


def bench(
    name: Annotated[
        str, typer.Argument(help="Model file or its name; left out: the model or server of the settings.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", min=0, help="Ask only the first N questions; 0 asks all.")] = 0,
    show_answers: Annotated[bool, typer.Option("--show-answers", help="Print every answer with its points.")] = False,
    models_dir: ModelsDir = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model 60 questions about invented notes in four languages; print its points and its speed.

    The model answers alone: what noderag computes, looks up or checks itself is left out.

    \b
    Examples:
      noderag models bench
      noderag models bench ~/Downloads/qwen3-4b-instruct-2507-q4_k_m.gguf --limit 20
    """
    from noderag_local.config import load_settings
    from noderag_local.evaluation.model_bench.bench import score_of
    from noderag_local.evaluation.model_bench.reading_questions import reading_questions
    from noderag_local.interfaces.cli.failures import STOPPED
    from noderag_local.interfaces.cli.interruption import clean_stop

    settings = load_settings(models_dir=models_dir)
    if name:
        settings = settings.model_copy(update={"model": name, "server_url": ""})
    with clean_stop("Stopping; the answers so far are scored. Ctrl-C again stops at once.") as stop:
        model, answers = _asked(settings, reading_questions()[: limit or None], stop.asked)
    if answers:
        _print(score_of(model, answers), answers if show_answers else (), as_json)
    if stop.asked():
        raise typer.Exit(STOPPED)


def _asked(
    settings: Settings, questions: Sequence[ReadingQuestion], cancelled: Callable[[], bool]
) -> tuple[str, list[ReadingAnswer]]:
    """Returns the name of the model and its answers."""
    from noderag_local.domain.progress import Progress
    from noderag_local.evaluation.model_bench.bench import answers_of
    from noderag_local.interfaces.cli.stage_bars import shown_stages
    from noderag_local.models.language_model import LanguageModel

    answers: list[ReadingAnswer] = []
    model = LanguageModel(settings)
    try:
        engine = model.needed("The benchmark")
        with shown_stages() as progress:
            for answer in answers_of(engine, questions, settings.answer_tokens, cancelled):
                answers.append(answer)
                progress(Progress("answering", len(answers), len(questions), "questions"))
        return engine.name, answers
    finally:
        model.close()


def _print(score: ModelScore, answers: Sequence[ReadingAnswer], as_json: bool) -> None:
    from noderag_local.evaluation.marks import full_points
    from noderag_local.evaluation.reports.score_table import kind_table

    if as_json:
        shown = [
            {
                "id": one.run.question.id,
                "answer": one.run.answer,
                "points": full_points(one.run),
                "abstained": one.run.abstained,
            }
            for one in answers
        ]
        print_document({"score": score} | ({"answers": shown} if shown else {}))
        return
    lines = [
        *(_answer_line(one.run, full_points(one.run) or 0.0) for one in answers),
        *kind_table(score.model, (*score.languages, *score.kinds)),
        f"said “Your notes do not tell” to {score.missed:.0f} % of the questions that the notes do answer",
        f"first word after {score.first_word_seconds:.1f} s, {score.read_per_second:.0f} tokens read and "
        f"{score.written_per_second:.0f} written per second (medians); {score.elapsed_seconds:.0f} s in all",
    ]
    typer.echo(printable("\n".join(lines)))


def _answer_line(run: Run, points: float) -> str:
    wanted = run.question.answers[0] if run.question.answers else "not told"
    return f"{run.question.id} {points:.0f} {run.question.question} → {run.answer} ({wanted})"
