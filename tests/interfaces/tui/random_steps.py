"""Random walks of a person at the keys: what a walk consists of, written so that it can be read, shrunk and taken again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from hostile.hostile_notes import LONG, SHORT

SCREENS = ("f1", "f2", "f3", "f4", "f5", "f6", "f7")
MOVES = ("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "tab", "shift+tab")
COMMON = ("escape", "enter", "space", "backspace", "delete", "slash")
LETTERS = (*"adDefgGijknoqrsuwxyc123495",)
CONTROLS = tuple(f"ctrl+{letter}" for letter in "abcdefgjklnoprstuvwxyz")
CHORDS = ("alt+left", "alt+right", "alt+enter", "shift+enter", "shift+down", "shift+up")
SIZES = ("80x24", "60x16", "200x60", "20x5")
"""The last one is nobody's choice, but a terminal is dragged through it."""
TYPED = {
    "question": "who met jonas in porto?",
    "half": "mar",
    "action": SHORT["action"],
    "colour": SHORT["colour"],
    "brackets": SHORT["open"],
    "right to left": SHORT["right to left"],
    "method": "/method bm25",
    "budget": "/budget 50",
    "wrong budget": "/budget x",
    "scope": "/scope tag:weird",
    "scopes": "/scope",
    "talks": "/talks",
    "name": f"/name {SHORT['action']}",
    "export": "/export",
    "why": "/why",
    "new": "/new",
    "no command": "/nonsense",
    "folder": "folder:sub",
    "tag": "#weird marta",
    "kind": "kind:md",
    "after": "after:2024-13",
    "date": "16 June 1957",
    "palette": "library: ",
}
PASTED = {
    **{name: SHORT[name] for name in ("title", "action", "colour", "bidi", "hidden", "stacked", "wide", "separators")},
    "word": LONG["word"],
    "lines": "one line of many\n" * 300,
    "nothing": "",
}
DISK = ("changed", "deleted", "added", "gone", "back")
"""What happens to the notes while a person walks: a note changes, goes or comes; the whole folder is gone, or back."""


@dataclass(frozen=True)
class Walk:
    """One walk; `str` writes it, `read_walk` reads that."""

    vault: str
    """Kind of the vault, one of `walk_grounds.VAULTS`."""
    size: str
    has_model: bool
    follows: bool
    """Whether the notes are read whenever they change."""
    goes_home: bool
    """Whether the person goes back to the chat before leaving; else leaves from where they are."""
    steps: tuple[str, ...]

    def __str__(self) -> str:
        flags = [
            name
            for name, is_so in (("model", self.has_model), ("follow", self.follows), ("home", self.goes_home))
            if is_so
        ]
        return f"{self.vault} {self.size} {','.join(flags) or '-'} : {' '.join(self.steps)}"


def read_walk(written: str) -> Walk:
    """The walk that `str` has written so."""
    head, _, steps = written.partition(" : ")
    vault, size, flags = head.split()
    return Walk(vault, size, "model" in flags, "follow" in flags, "home" in flags, tuple(steps.split()))


PATHS = (
    "f3 wait r wait",
    "f3 wait down enter wait",
    "f3 wait d wait y",
    "f3 a wait type=notes enter wait enter wait",
    "f4 wait down enter wait",
    "f4 4 wait y wait n u",
    "f4 wait 3 wait enter wait",
    "f7 type=half wait enter wait",
    "f7 type=question wait ctrl+a wait",
    "f2 escape type=question enter wait",
    "f2 escape type=question wait enter wait ctrl+g wait",
    "f2 escape type=half ctrl+e",
    "f2 escape ctrl+t wait enter wait",
    "f2 escape ctrl+t wait ctrl+d wait y wait",
    "f2 escape type=scopes enter wait",
    "f5 wait down",
    "f6 wait down enter",
    "f6 wait space wait",
    "ctrl+p wait type=palette wait down enter wait",
    "n wait 1 wait",
)
"""Ways that single keys seldom find."""


def _choice(written: tuple[str, ...]) -> Callable[[random.Random], str]:
    return lambda chance: chance.choice(written)


def _named(kind: str, names: tuple[str, ...]) -> Callable[[random.Random], str]:
    return lambda chance: f"{kind}={chance.choice(names).replace(' ', '_')}"


def _at(kind: str) -> Callable[[random.Random], str]:
    return lambda chance: f"{kind}={chance.randrange(100)},{chance.randrange(100)}"


STEPS: tuple[tuple[int, Callable[[random.Random], str]], ...] = (
    (10, _choice(SCREENS)),
    (20, _choice(MOVES)),
    (25, _choice(COMMON)),
    (15, _choice(LETTERS)),
    (8, _choice(CONTROLS)),
    (2, _choice(CHORDS)),
    (15, lambda chance: f"shown={chance.randrange(20)}"),
    (8, _named("type", tuple(TYPED))),
    (4, _named("paste", tuple(PASTED))),
    (5, _named("disk", DISK)),
    (4, _choice(SIZES)),
    (6, _at("click")),
    (2, _at("wheel")),
    (8, _choice(("wait",))),
    (12, _choice(PATHS)),
)
"""Weight of a kind of step, and what makes one."""


def random_walk(number: int, longest: int) -> Walk:
    """The walk of a number: always the same, of at most so many steps or ways."""
    chance = random.Random(f"walk {number}")
    weights, kinds = zip(*STEPS, strict=True)
    made = [kind(chance) for kind in chance.choices(kinds, weights, k=chance.randint(longest // 3, longest))]
    return Walk(
        vault=chance.choice(["hostile"] * 8 + ["none", "empty"]),
        size=chance.choice(SIZES[:3]),
        has_model=chance.random() < 0.5,
        follows=chance.random() < 0.5,
        goes_home=chance.random() < 0.7,
        steps=tuple(" ".join(made).split()),
    )


def shorter(walk: Walk) -> Iterator[Walk]:
    """The walk without some of its steps: first without halves, at last without single ones."""
    size = len(walk.steps) // 2
    while size:
        for start in range(0, len(walk.steps), size):
            yield replace(walk, steps=walk.steps[:start] + walk.steps[start + size :])
        size //= 2
