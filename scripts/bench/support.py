"""Precision and recall of "supported": `python scripts/bench/support.py [--half dev|held-out|all] [--misses]`.

The answers in tests/data/support are labelled by hand or by construction. Odd constructions serve to develop the check; the
even ones are held out, and their misses are not printed.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from noderag_local.domain.passages import Source
from noderag_local.generation.citing.citations import annotate
from noderag_local.generation.citing.markers import MARKER

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "support"
HALVES = ("dev", "held-out")


@dataclass(frozen=True)
class Labelled:
    """An answer, what it is held against, and whether that supports it."""

    construction: str
    kind: str
    passages: tuple[tuple[str, str], ...]
    question: str
    answer: str
    supported: bool

    @property
    def language(self) -> str:
        return self.construction[:2]

    @property
    def half(self) -> str:
        """Which half its construction belongs to."""
        return HALVES[int(self.construction[3:]) % 2 == 0]

    def called_supported(self) -> bool:
        """Returns whether the check calls every sentence of the answer supported."""
        sources = [
            Source(number, f"/notes/{title}.md", 0, title, (), 1, 1, 0, len(text), text.strip())
            for number, (title, text) in enumerate(self.passages, 1)
        ]
        text = self.answer if MARKER.search(self.answer) else f"{self.answer} [1]"
        return all(one.supported for one in annotate(text, sources, self.question))


def labelled() -> Iterator[Labelled]:
    """Yields the labelled answers of all files."""
    for file in sorted(FOLDER.glob("*.toml")):
        for construction, said in tomllib.loads(file.read_text(encoding="utf-8")).items():
            passages = tuple((title, text) for title, text in said["passages"])
            for asked in said["asked"]:
                for label in ("right", "wrong"):
                    for line in asked[label]:
                        kind, answer = line.split(": ", 1)
                        yield Labelled(construction, kind, passages, asked["question"], answer, label == "right")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all")
    parser.add_argument("--misses", action="store_true", help="print what the check gets wrong in the half dev")
    arguments = parser.parse_args()
    answers = [one for one in labelled() if arguments.half in ("all", one.half)]
    answers[0].called_supported()
    started = time.perf_counter()
    called = {one: one.called_supported() for one in answers}
    elapsed = time.perf_counter() - started
    if arguments.misses:
        for one, supported in called.items():
            if supported != one.supported and one.half == "dev":
                print(f"{one.construction} {'missed' if one.supported else 'WRONG '} {one.kind}: {one.answer}")
    _by_kind(called)
    _by_language(called)
    print(f"\n{1000 * elapsed / len(called):.1f} ms an answer, its passages included")


def _by_kind(called: dict[Labelled, bool]) -> None:
    print(f"{'label and kind':24}{'answers':>8}{'correct':>9}")
    groups = defaultdict(list)
    for one, supported in called.items():
        groups["right" if one.supported else "wrong", one.kind].append(supported == one.supported)
    for (label, kind), correct in sorted(groups.items()):
        print(f"{label}, {kind:17}{len(correct):8}{_share(sum(correct), len(correct)):>9}")


def _by_language(called: dict[Labelled, bool]) -> None:
    print(f"\n{'language':24}{'answers':>8}{'precision':>11}{'recall':>9}")
    for language in (*sorted({one.language for one in called}), "all"):
        pairs = [(one.supported, said) for one, said in called.items() if language in ("all", one.language)]
        true = pairs.count((True, True))
        precision, recall = _share(true, sum(said for _, said in pairs)), _share(true, sum(is_so for is_so, _ in pairs))
        print(f"{language:24}{len(pairs):8}{precision:>11}{recall:>9}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    main()
