"""Every regular expression of the package, and the texts that are worst for it."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import pkgutil
import random
import re
import sys
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import noderag_local

ANCHORED = {"match", "fullmatch"}
SEARCHING = {"search", "finditer", "findall", "sub", "subn", "split"}
OF_RE = ANCHORED | SEARCHING


@dataclass
class Found:
    """A pattern and how the package uses it."""

    pattern: re.Pattern[Any]
    places: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)

    @property
    def searches(self) -> bool:
        """Whether a text is searched for it, as far as is known."""
        return bool(self.methods & SEARCHING) or not self.methods


def modules() -> list[types.ModuleType]:
    """All of the package, but the one that runs it."""
    names = [one.name for one in pkgutil.walk_packages(noderag_local.__path__, "noderag_local.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def all_patterns() -> tuple[list[Found], list[str]]:
    """The patterns; and the calls of `re` whose pattern is known only when they run."""
    found: dict[tuple[Any, int], Found] = {}
    unknown: list[str] = []
    by_name: dict[tuple[str, str], list[Found]] = defaultdict(list)

    def note(pattern: re.Pattern[Any], place: str) -> Found:
        one = found.setdefault((pattern.pattern, pattern.flags), Found(pattern))
        one.places.append(place)
        return one

    loaded = modules()
    for module in loaded:
        for name, value in vars(module).items():
            if _gives_pattern(value, module):
                value = value()
            for pattern in _inside(value, module.__name__, 3):
                by_name[module.__name__, name].append(note(pattern, f"{module.__name__}.{name}"))
    for module in loaded:
        tree = ast.parse(inspect.getsource(module))
        for name, method in _uses(tree):
            for one in by_name[module.__name__, name]:
                one.methods.add(method)
        for call, function in _calls(tree):
            place = f"{module.__name__}:{call.lineno}"
            try:
                value = eval(compile(ast.Expression(call.args[0]), place, "eval"), vars(module))  # noqa: S307
                flags = [one.value for one in call.keywords if one.arg == "flags"] or call.args[1:2] * (
                    function == "compile"
                )
                number = eval(compile(ast.Expression(flags[0]), place, "eval"), vars(module)) if flags else 0  # noqa: S307
            except NameError:
                unknown.append(place)
                continue
            one = note(re.compile(value, number), place)
            if function != "compile":
                one.methods.add(function)
    return list(found.values()), unknown


def _gives_pattern(value: object, module: types.ModuleType) -> bool:
    """Whether a value is a function of the module that takes nothing and gives a pattern."""
    if not callable(value) or isinstance(value, type) or getattr(value, "__module__", "") != module.__name__:
        return False
    signature = inspect.signature(value)
    return not signature.parameters and "Pattern" in str(signature.return_annotation)


def _inside(value: object, module: str, depth: int) -> Iterator[re.Pattern[Any]]:
    """The patterns in a value of a module."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth == 0:
        return
    elif isinstance(value, dict):
        for one in (*value.keys(), *value.values()):
            yield from _inside(one, module, depth - 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _inside(one, module, depth - 1)
    elif isinstance(value, type):
        if value.__module__ == module:
            for one in list(vars(value).values()):
                yield from _inside(one, module, depth - 1)
    elif is_dataclass(value):
        for part in fields(value):
            yield from _inside(getattr(value, part.name, None), module, depth - 1)


def _uses(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(name, method) wherever a method of `re.Pattern` is taken of a name, or of what a loop takes out of it."""
    taken: dict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Name):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    taken[target.id].add(node.iter.id)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in OF_RE and isinstance(node.value, ast.Name):
            for name in {node.value.id, *taken[node.value.id]}:
                yield name, node.attr


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Calls of functions of `re` with a pattern, inside of functions; the others have run when the module is imported."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            name, method = node.func.value.id, node.func.attr
            if name == "re" and method in OF_RE | {"compile"}:
                yield node, method


OF_CATEGORY = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_SPACE: " \n\t",
    sre.CATEGORY_NOT_SPACE: "a.",
    sre.CATEGORY_WORD: "aA1_",
    sre.CATEGORY_NOT_WORD: " .",
}
USUAL = " \n\taA1.,:"
MOST_BODIES, MOST_BEGINNINGS = 80, 30
REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}


def characters_of(items: Iterable[Any]) -> list[str]:
    """Some characters that a class of characters has."""
    items = list(items)
    if items and items[0][0] is sre.NEGATE:
        refused = re.compile("[" + "".join(_class_item(item) for item in items[1:]) + "]")
        return [one for one in 'aA1 \n.\t_é(<["中' if not refused.match(one)][:4] or ["\x00"]
    found: list[str] = []
    for operator, value in items:
        if operator is sre.LITERAL:
            found.append(chr(value))
        elif operator is sre.RANGE:
            found.append(chr(value[0]))
        elif operator is sre.CATEGORY:
            found += OF_CATEGORY[value]
    return found


def _class_item(item: tuple[Any, Any]) -> str:
    operator, value = item
    if operator is sre.LITERAL:
        return re.escape(chr(value))
    if operator is sre.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return {
        sre.CATEGORY_DIGIT: r"\d",
        sre.CATEGORY_NOT_DIGIT: r"\D",
        sre.CATEGORY_SPACE: r"\s",
        sre.CATEGORY_NOT_SPACE: r"\S",
        sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_NOT_WORD: r"\W",
    }[value]


class Worst:
    """Texts that are likely to be worst for a pattern: what its repeats repeat, many times, behind what leads there."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        self.tree = _parser.parse(source, pattern.flags & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0))
        self.groups: dict[int, str] = {}
        self.atoms: dict[str, None] = {}
        self.bodies: dict[tuple[str, str], None] = {}
        """(what leads there, what is repeated)"""
        self._walk(self.tree, "")

    def pumped(self) -> list[tuple[str, str]]:
        """(what comes first, what is repeated)."""
        atoms = list(self.atoms)
        chance = random.Random(7)
        common = list(dict.fromkeys([*chance.sample(atoms, min(len(atoms), 24)), *USUAL]))
        pairs = ["".join(pair) for pair in itertools.permutations(common, 2)]
        whole = self._sample(self.tree)
        starts = [
            whole[:length] for length in sorted({1, 2, 3, len(whole) // 2, len(whole) - 1, len(whole)}) if length > 0
        ]
        bodies = list(self.bodies)
        bodies = chance.sample(bodies, min(len(bodies), MOST_BODIES))
        led = list(dict.fromkeys(before for before, _ in bodies if before))
        texts = [("", one) for one in (*common, *starts, *chance.sample(pairs, min(len(pairs), 30)))]
        texts += [("", body) for _, body in bodies] + bodies
        texts += [(before, one) for before in chance.sample(led, min(len(led), MOST_BEGINNINGS)) for one in USUAL[:3]]
        return [text for text in dict.fromkeys(texts) if text[1]]

    def _walk(self, tree: Any, before: str) -> str:
        """Notes atoms and repeats; returns a text that the tree takes."""
        text = ""
        for operator, value in tree:
            text += self._node(operator, value, before + text)
        return text

    def _node(self, operator: Any, value: Any, before: str) -> str:
        if operator is sre.LITERAL:
            self.atoms[chr(value)] = None
            return chr(value)
        if operator in (sre.NOT_LITERAL, sre.ANY):
            return "a" if value != ord("a") else "b"
        if operator is sre.IN:
            found = characters_of(value)
            self.atoms |= dict.fromkeys(found)
            return found[0]
        if operator is sre.BRANCH:
            texts = [self._walk(one, before) for one in value[1]]
            return texts[0]
        if operator is sre.SUBPATTERN:
            text = self._walk(value[3], before)
            self.groups[value[0]] = text
            return text
        if operator is sre.ATOMIC_GROUP:
            return self._walk(value, before)
        if operator is sre.GROUPREF:
            return self.groups.get(value, "")
        if operator in REPEATS:
            low, high, body = value
            text = self._walk(body, before)
            if high > 1:
                for sample in (text, *self._samples(body)):
                    self.bodies[before, sample] = None
            return text * max(low, min(1, high))
        if operator in (sre.ASSERT, sre.ASSERT_NOT):
            self._walk(value[1], before)
        return ""

    def _samples(self, tree: Any) -> list[str]:
        """Some texts that a tree takes, one for each alternative and character in it."""
        texts = [""]
        for operator, value in tree:
            if operator is sre.BRANCH:
                ends = [text for one in value[1] for text in self._samples(one)[:3]]
            elif operator is sre.SUBPATTERN:
                ends = self._samples(value[3])
            elif operator is sre.ATOMIC_GROUP:
                ends = self._samples(value)
            elif operator is sre.IN:
                ends = characters_of(value)[:6]
            elif operator in REPEATS:
                ends = [end * max(value[0], 1) for end in self._samples(value[2])[:4]] + [""] * (value[0] == 0)
            else:
                ends = [self._node(operator, value, "")]
            texts = [text + end for text in texts for end in ends][:12]
        return texts

    def _sample(self, tree: Any) -> str:
        return self._walk(tree, "")


def seconds(action: Callable[[], object]) -> float:
    started = time.thread_time()
    action()
    return time.thread_time() - started


def run(found: Found, text: str) -> Callable[[], object]:
    """What the package does with the pattern, on a text."""
    subject: Any = text if isinstance(found.pattern.pattern, str) else text.encode("utf-8", "replace")
    if found.searches:
        return lambda: sum(1 for _ in found.pattern.finditer(subject))
    if "fullmatch" in found.methods:
        return lambda: (found.pattern.match(subject), found.pattern.fullmatch(subject))
    return lambda: found.pattern.match(subject)


SIZES = (24, 400, 1500)
SMALL = 24
MIDDLE = (400, 1_600)
SUSPICIOUS_SECONDS = 0.003
"""On the machine that `slowness` compares with."""
LARGE = (4_000, 16_000)
MOST_GROWTH = 10.0
"""From 4,000 to 16,000 characters: four times is linear, sixteen times is quadratic."""
ENDS = ("", "\n!")


def worse_than_linear(found: Found) -> tuple[float, str] | None:
    """How much longer four times a text takes, and which text; None where every text takes its length."""
    for before, repeated in Worst(found.pattern).pumped():
        for end in ENDS:
            size = _suspicious(found, before, repeated, end)
            if size is None:
                continue
            if size <= SMALL:
                return float("inf"), f"{before!r} + {repeated!r} * {size} + {end!r}"
            sizes = MIDDLE if size <= MIDDLE[0] else LARGE
            # A busy machine makes one measurement in many look like growth, and hardly three on end.
            growths = (_growth(found, [text_of(before, repeated, end, length) for length in sizes]) for _ in range(3))
            measured = list(itertools.takewhile(bool, growths))
            if len(measured) == 3:
                return min(measured), f"{before!r} + {repeated!r} * n + {end!r}"
    return None


def _growth(found: Found, texts: list[str]) -> float:
    """How many times longer the second text takes than the first; 0 where that is no more than its length, or an instant."""
    small, large = (min(seconds(run(found, text)) for _ in range(4)) for text in texts)
    return large / small if large > 3 * SUSPICIOUS_SECONDS * slowness() and large > MOST_GROWTH * small else 0.0


@cache
def slowness() -> float:
    """How many times longer a known pattern takes than on the machine that the limits are for; 1 at least."""
    pattern, text = re.compile("[ \t]*:end:"), "\t" * 1500
    return max(1.0, min(seconds(lambda: pattern.search(text)) for _ in range(20)) / 0.002)


def _suspicious(found: Found, before: str, repeated: str, end: str) -> int | None:
    """The first size that takes longer than any pattern should need for it."""
    for size in SIZES:
        text = text_of(before, repeated, end, size)
        limit = SUSPICIOUS_SECONDS * slowness()
        if all(seconds(run(found, text)) > limit for _ in range(3)):
            return size
    return None


def text_of(before: str, repeated: str, end: str, size: int) -> str:
    return before + repeated * (size // len(repeated)) + end


if __name__ == "__main__":
    patterns, unknown = all_patterns()
    print(len(patterns), "patterns; unknown:", unknown)
    started = time.thread_time()
    for one in patterns:
        if sys.argv[1:] and not any(arg in place for arg in sys.argv[1:] for place in one.places):
            continue
        begun = time.thread_time()
        told = worse_than_linear(one)
        took = time.thread_time() - begun
        if told or took > 1:
            print(f"{took:5.1f}s", one.places[:2], sorted(one.methods), told, flush=True)
    print(f"{time.thread_time() - started:.0f} s")
