#!/usr/bin/env python3
"""Tests what the papers claim about the order of methods with dumps of `noderag eval`.

    .venv/bin/python scripts/bench/claims.py --methods
    .venv/bin/python scripts/bench/claims.py --corpus NAME QA.json DUMP.jsonl … [--corpus …] [--oracle NAME QA.json DUMP.jsonl …]

The claims stand in claims.toml beside this script. `--methods` prints the methods and budgets that they need, in the form of
`noderag eval`. Each `--corpus` is a name, its questions and the dumps with their runs. Prints a table in Markdown. A claim is
tested by the difference in coverage between two methods for the same questions, in points, with its 95 % interval (paired
bootstrap): for each corpus, and for the questions of all corpora together, which decide.

    confirmed   the interval lies above zero; for a claim that a method loses little, above minus so many points
    refuted     it lies below
    open        it does neither: these questions do not tell
    mixed       the corpora contradict each other beyond doubt

A † says that one method's contexts are smaller than the other's by over a tenth, although their budget is the same: it has not
found more. The difference may then be one of size. The mean tokens of the contexts stand behind the methods.

Dumps behind `--oracle` are of a vault whose statements an oracle wrote in place of a model (oracle.py). Their name is that of a
corpus, and may go on behind a colon: `train:steps`. Each adds a column with the difference between the two methods there, and
a table that holds every method with the oracle against the same method with rules.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from noderag_local.evaluation.bootstrap import Interval, mean_interval
from noderag_local.evaluation.dump import read_dump
from noderag_local.evaluation.metrics import covers
from noderag_local.evaluation.questions import read_questions

CLAIMS = Path(__file__).with_suffix(".toml")
UNEQUAL = 0.9
"""Share of the larger contexts' tokens below which the smaller ones count as of another size."""


class Searched(NamedTuple):
    """Coverage and size of the context for a question."""

    covered: float
    """100 if it has the answer, else 0."""
    tokens: int


Covered = Mapping[tuple[str, int], Mapping[str, Searched]]
"""Method and budget → question → its context."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper; claims.toml explains the fields."""

    paper: str
    says: str
    where: str
    ahead: str = ""
    behind: str = ""
    budget: int = 0
    within: float = 0.0
    untestable: str = ""


def read_claims() -> list[Claim]:
    """Returns the claims in the order of the file."""
    return [Claim(**entry) for entry in tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["claim"]]


def covered(questions: Path, dumps: Sequence[Path]) -> Covered:
    """Returns for each method and budget of the dumps what became of each question."""
    found: dict[tuple[str, int], dict[str, Searched]] = {}
    for path in dumps:
        for run in read_dump(path, read_questions(questions))[1]:
            of_method = found.setdefault((run.method, run.budget_tokens), {})
            of_method[run.question.id] = Searched(100.0 * covers(run.context, run.question.answers), run.tokens)
    return found


def differences(claim: Claim, of: Covered) -> list[float]:
    """Returns the difference of each question, in points; none if one of the methods was not run on all of the questions."""
    ahead, behind = (of.get((method, claim.budget), {}) for method in (claim.ahead, claim.behind))
    return paired(ahead, behind)


def paired(ahead: Mapping[str, Searched], behind: Mapping[str, Searched]) -> list[float]:
    """Returns the difference in coverage of each question, in points; none if the questions are not the same."""
    if ahead.keys() != behind.keys():
        return []
    return [one.covered - behind[question].covered for question, one in ahead.items()]


def mean_tokens(method: str, budget: int, corpora: Mapping[str, Covered]) -> float:
    """Returns the mean tokens of a method's contexts over the questions of all corpora; 0 if it was not run."""
    found = [one.tokens for of in corpora.values() for one in of.get((method, budget), {}).values()]
    return float(np.mean(found)) if found else 0.0


def verdict(claim: Claim, together: Interval, each: Sequence[Interval]) -> str:
    """Returns what the intervals say about a claim."""
    least = -claim.within
    if any(one.low > least for one in each) and any(one.high < least for one in each):
        return "mixed"
    if together.low > least:
        return "**confirmed**"
    return "**refuted**" if together.high < least else "open"


def row(claim: Claim, corpora: Mapping[str, Covered], oracles: Mapping[str, Covered]) -> str:
    """Returns the row of a claim."""
    sizes = {method: mean_tokens(method, claim.budget, corpora) for method in (claim.ahead, claim.behind) if method}
    methods = ", ".join(f"`{method}` {size:,.0f}" for method, size in sizes.items()) or "–"
    mark = " †" if sizes and min(sizes.values()) < UNEQUAL * max(sizes.values()) else ""
    *cells, said = tested(claim, corpora)
    beside = [in_words(differences(claim, of)) if claim.ahead else "–" for of in oracles.values()]
    return " | ".join([f"| {claim.says} ({claim.where})", methods, *cells, said + mark, *beside]) + " |"


def tested(claim: Claim, corpora: Mapping[str, Covered]) -> list[str]:
    """Returns the cells of a claim: the difference for each corpus and for all together, and the verdict."""
    each = [differences(claim, of) for of in corpora.values()]
    if claim.untestable or not all(each):
        reason = f"not testable: {claim.untestable}" if claim.untestable else "not measured"
        return ["–"] * (len(corpora) + 1) + [reason]
    intervals, together = [mean_interval(one) for one in each], mean_interval([*chain.from_iterable(each)])
    return [*map(shown, intervals), shown(together), verdict(claim, together, intervals)]


def in_words(values: Sequence[float]) -> str:
    """Returns the mean of some differences with its interval; a dash for none."""
    return shown(mean_interval(values)) if values else "–"


def shown(interval: Interval) -> str:
    """Returns a difference with its interval."""
    return f"{interval.mean:+.1f} ({interval.low:+.1f} to {interval.high:+.1f})".replace("-", "−")


def print_table(claims: Sequence[Claim], corpora: Mapping[str, Covered], oracles: Mapping[str, Covered]) -> None:
    """Prints how many claims have which verdict, and the claims of each paper as a table."""
    verdicts = Counter(tested(claim, corpora)[-1].partition(":")[0].strip("*") for claim in claims)
    print(f"{len(claims)} claims: {', '.join(f'{count} {said}' for said, count in verdicts.most_common())}")
    heads = ["claim", "ahead, behind", *corpora, "all", "verdict", *(f"oracle, {name}" for name in oracles)]
    for paper in dict.fromkeys(claim.paper for claim in claims):
        print(f"\n## {paper}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
        for claim in claims:
            if claim.paper == paper:
                print(row(claim, corpora, oracles))


def print_oracles(corpora: Mapping[str, Covered], oracles: Mapping[str, Covered]) -> None:
    """Prints the coverage of each method with rules and with the oracles, and the differences."""
    for name, by_oracle in oracles.items():
        by_rules = corpora[name.partition(":")[0]]
        print(f"\n## With an oracle: {name}\n\n| method | tokens | rules | oracle | difference |\n|{' --- |' * 5}")
        for (method, budget), found in sorted(by_oracle.items(), key=lambda one: (one[0][1], one[0][0])):
            if values := paired(found, by_rules.get((method, budget), {})):
                means = [np.mean([one.covered for one in of.values()]) for of in (by_rules[method, budget], found)]
                print(f"| `{method}` | {budget:,} | {means[0]:.0f} | {means[1]:.0f} | {in_words(values)} |")


def print_methods(claims: Sequence[Claim]) -> None:
    """Prints for each budget the methods that are needed there, as `noderag eval` takes them."""
    for budget in sorted({claim.budget for claim in claims} - {0}):
        methods = dict.fromkeys(
            method for claim in claims if claim.budget == budget for method in (claim.ahead, claim.behind)
        )
        print(f'--budgets {budget} --methods "{", ".join(methods)}"')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", action="store_true", help="print the methods and budgets that the claims need")
    for option in ("--corpus", "--oracle"):
        parser.add_argument(option, nargs="+", action="append", default=[], metavar=("NAME", "FILE"))
    arguments = parser.parse_args()
    claims = read_claims()
    if arguments.methods:
        print_methods(claims)
        return
    corpora, oracles = (
        {name: covered(Path(questions), [Path(dump) for dump in dumps]) for name, questions, *dumps in given}
        for given in (arguments.corpus, arguments.oracle)
    )
    print_table(claims, corpora, oracles)
    print_oracles(corpora, oracles)


if __name__ == "__main__":
    main()
