"""Prints scores as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from noderag_local.evaluation.bootstrap import CONFIDENCE
from noderag_local.evaluation.marks import MEASURES, RECALL_DEPTHS
from noderag_local.evaluation.prices import Prices
from noderag_local.evaluation.reports.figures import shown_difference
from noderag_local.evaluation.reports.scores import KindScore, Score

DIFFERENCE_WIDTH = 20
LEAST_NAME_WIDTH = 24


def table(results: Sequence[Score], prices: Prices | None = None) -> str:
    """Returns the scores as tables: the figures, the differences to the first method, the model's work, the kinds of questions.

    Columns and tables without any figure are left out.

    Args:
        results: scores of the methods at their budgets.
        prices: prices of a paid service, for what the model's work would cost there; None for no prices.
    """
    blocks = [
        [*_score_lines(results), *_short_rankings(results)],
        _difference_lines(results),
        _work_lines(results, prices),
        *(_kind_lines(score) for score in results if score.kinds),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _name_width(results: Sequence[Score]) -> int:
    """Returns the width of the first column: a method with parameters has a long name."""
    return max([LEAST_NAME_WIDTH, *(len(score.method) for score in results)])


def _score_lines(results: Sequence[Score]) -> list[str]:
    width = _name_width(results)
    with_supports = any(score.supported is not None for score in results)
    heading = (
        f"{'method':{width}} {'budget':>7} {'n':>4} {'coverage':>8} {'raw':>6} {'EM':>5} {'F1':>5} {'acc':>5} "
        f"{'tokens':>7} {'chars':>7} {'ms':>7} {'ms p95':>7}"
    )
    lines = [heading + (f" {'R@2':>5} {'R@5':>5} {'all supports':>12}" if with_supports else "")]
    for score in results:
        line = (
            f"{score.method:{width}} {score.budget_tokens:>7} {score.questions:>4} {_cell(score.coverage):>8} {_cell(score.raw):>6} "
            f"{_cell(score.exact_match):>5} {_cell(score.f1):>5} {_cell(score.accuracy):>5} {score.tokens:>7.0f} "
            f"{score.characters:>7.0f} {score.mean_ms:>7.1f} {score.p95_ms:>7.1f}"
        )
        recalls = f" {_cell(score.recall_at_2):>5} {_cell(score.recall_at_5):>5} {_cell(score.supported):>12}"
        lines.append(line + (recalls if with_supports else ""))
    return lines


def _short_rankings(results: Sequence[Score]) -> list[str]:
    """Returns a line for each score with contexts of fewer documents than the recall is measured at."""
    most = max(RECALL_DEPTHS)
    return [
        f"{score.method} at {score.budget_tokens:,} tokens: {score.short_rankings} of {score.questions} contexts have fewer "
        f"than {most} documents, so R@{most} counts fewer there. Larger --budgets may have more."
        for score in results
        if score.short_rankings
    ]


def _difference_lines(results: Sequence[Score]) -> list[str]:
    names = [name for name in MEASURES if any(name in score.against_first for score in results)]
    if not names:
        return []
    width = _name_width(results)
    title = f"to the first, {100 * CONFIDENCE:.0f} %"
    lines = [f"{title:{width}} {'budget':>7}" + "".join(f" {name:>{DIFFERENCE_WIDTH}}" for name in names)]
    for score in results:
        shown = [shown_difference(score.against_first[name]) if name in score.against_first else "-" for name in names]
        if score.against_first:
            cells = "".join(f" {cell:>{DIFFERENCE_WIDTH}}" for cell in shown)
            lines.append(f"{score.method:{width}} {score.budget_tokens:>7}{cells}")
    return lines


def _work_lines(results: Sequence[Score], prices: Prices | None) -> list[str]:
    """Returns what the language model did for a question of each score, as a mean; nothing if it was not asked and no prices are given."""
    if prices is None and not any(score.use is not None and score.use.calls for score in results):
        return []
    width = _name_width(results)
    heading = f"{'a question, mean':{width}} {'budget':>7} {'calls':>7} {'read':>10} {'written':>9} {'seconds':>9}"
    lines = [heading + (f" {'cost of all':>12}" if prices else "")]
    for score in results:
        start, seconds = f"{score.method:{width}} {score.budget_tokens:>7}", f"{score.seconds:>9.1f}"
        use = score.use
        if use is None:
            lines.append(f"{start} {'-':>7} {'-':>10} {'-':>9} {seconds}" + (f" {'-':>12}" if prices else ""))
            continue
        cost = f" {prices.cost(use):>12.4f}" if prices else ""
        calls, read, written = (
            f"{count / score.questions:,.1f}" for count in (use.calls, use.prompt_tokens, use.written_tokens)
        )
        lines.append(f"{start} {calls:>7} {read:>10} {written:>9} {seconds}{cost}")
    return lines


def _kind_lines(score: Score) -> list[str]:
    return kind_table(f"{score.method}, {score.budget_tokens:,} tokens", score.kinds)


def kind_table(heading: str, kinds: Sequence[KindScore]) -> list[str]:
    """Returns scores by kind as the lines of a table."""
    return [f"{heading:24} {'n':>4} {'points':>7} {'95 % interval':>15} {'do not tell':>11}"] + [
        f"{one.kind or 'all':24} {one.questions:>4} {one.points.mean:>7.1f} "
        f"{f'{one.points.low:.1f} to {one.points.high:.1f}':>15} {one.abstained:>11.1f}"
        for one in kinds
    ]


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
