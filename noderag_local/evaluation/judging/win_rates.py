"""Computes how often each of two methods gave the better answer, and how reliable the judge is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.judging.judging import PairVerdict
from noderag_local.evaluation.judging.verdict import CRITERIA, Letter
from noderag_local.evaluation.reports.figures import shown_interval

EVEN = 50.0
"""Win rate of two methods that are equally good."""
DOUBTFUL_FLIPS = 30.0
"""Percentage of verdicts that depend on the order, from which a judge counts as unreliable. A judge that chooses places at
random has 50; one that always chooses the first place has 100."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The result for a question's two answers, with the verdicts in both orders."""

    one: str
    """Method of the first answer."""
    other: str
    verdicts: tuple[PairVerdict, PairVerdict] | None
    """The second verdict has the answers in the other order; None if both answers were equal, which is a tie."""

    def outcome(self, criterion: int) -> int:
        """Returns 1 if both verdicts prefer `one`, −1 if both prefer the other, 0 for a tie."""
        if self.verdicts is None or self.is_flipped(criterion):
            return 0
        return 1 if self.verdicts[0].winner(criterion) == self.one else -1

    def is_flipped(self, criterion: int) -> bool:
        """Returns whether the verdict depends only on the order."""
        if self.verdicts is None:
            return False
        first, second = self.verdicts
        return first.winner(criterion) != second.winner(criterion)


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often one method beats another by one criterion, in percent of the questions."""

    one: str
    other: str
    criterion: str
    questions: int
    wins: float
    """Share of questions that the first method wins."""
    ties: float
    losses: float
    rate: Interval
    """Win rate of the first method as the papers give it: with that of the other it makes 100, so a tie is half a win."""
    flips: float
    """Share of judged questions where only the order decided."""
    first_place: float
    """Share of all verdicts for the answer shown first; 50 for a judge that ignores the place."""


def win_rates(judged_pairs: Sequence[Judged]) -> list[WinRate]:
    """Returns the win rates of every pair of methods by every criterion, in the order of the pairs."""
    pairs = dict.fromkeys((one.one, one.other) for one in judged_pairs)
    return [
        _win_rate([one for one in judged_pairs if (one.one, one.other) == pair], criterion)
        for pair in pairs
        for criterion in range(len(CRITERIA))
    ]


def _win_rate(judged_pairs: Sequence[Judged], criterion: int) -> WinRate:
    outcomes = [one.outcome(criterion) for one in judged_pairs]
    asked = [one for one in judged_pairs if one.verdicts is not None]
    letters = [verdict.letters[criterion] for one in asked for verdict in one.verdicts or ()]
    return WinRate(
        one=judged_pairs[0].one,
        other=judged_pairs[0].other,
        criterion=CRITERIA[criterion].casefold(),
        questions=len(outcomes),
        wins=_percent([outcome > 0 for outcome in outcomes]),
        ties=_percent([outcome == 0 for outcome in outcomes]),
        losses=_percent([outcome < 0 for outcome in outcomes]),
        rate=mean_interval([50.0 + 50.0 * outcome for outcome in outcomes]),
        flips=_percent([one.is_flipped(criterion) for one in asked]),
        first_place=_percent([letter is Letter.A for letter in letters]),
    )


def _percent(values: Sequence[bool]) -> float:
    return 100 * sum(values) / len(values) if values else 0.0


def table(rates: Sequence[WinRate]) -> str:
    """Returns the rates as a table, with a line on the reliability of the judge."""
    width = max((len(f"{rate.one} : {rate.other}") for rate in rates), default=0)
    lines = [
        f"{'':{width}} {'criterion':17} {'n':>4} {'win':>6} {'tie':>6} {'loss':>6} {'win rate':>16} {'flips':>6} {'1st':>6}"
    ]
    for rate in rates:
        lines.append(
            f"{f'{rate.one} : {rate.other}':{width}} {rate.criterion:17} {rate.questions:>4} {rate.wins:>6.1f} "
            f"{rate.ties:>6.1f} {rate.losses:>6.1f} {_shown(rate.rate):>16} {rate.flips:>6.1f} "
            f"{rate.first_place:>6.1f}"
        )
    return "\n".join([*lines, *_doubts(rates)])


def _shown(rate: Interval) -> str:
    """Formats a win rate, with a star when 50, the rate of equals, lies outside its interval."""
    return shown_interval(rate) + "*" * (rate.low > EVEN or rate.high < EVEN)


def _doubts(rates: Sequence[WinRate]) -> list[str]:
    flips = [rate.flips for rate in rates]
    if not flips or sum(flips) / len(flips) < DOUBTFUL_FLIPS:
        return []
    return [
        f"{sum(flips) / len(flips):.0f} % of the verdicts change with the order of the answers: this judge goes by the place "
        "more than by the text, so its verdicts say little. A larger model judges better."
    ]
