"""Parameters of a retrieval method: each with its default, the paper's value, what it means and which values it takes.

A method keeps its parameters in a frozen dataclass, one field a parameter, and has an instance with its own values as
`parameters`. Presets of one method differ by that instance alone:

    @dataclass(frozen=True, slots=True)
    class KetParameters:
        theta: float = parameter(0.4, paper=0.4, symbol="θ", meaning="share of the budget for the skeleton", most=1)

    class Ket(OverGraph):
        parameters = KetParameters()

    class KetPaper(Ket):
        parameters = at_paper_values(KetParameters)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from noderag_local.domain.errors import SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    P = TypeVar("P", bound=DataclassInstance)

Value = float | int | bool | str


@dataclass(frozen=True, slots=True)
class NoParameters:
    """The parameters of a method that has none."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method as people read it."""

    name: str
    default: Value
    paper: Value | None
    """Value in the paper; None if the paper has no such parameter."""
    symbol: str
    """The paper's symbol for it; empty if it has none."""
    meaning: str
    """Its meaning, in a phrase."""
    least: float | None
    most: float | None
    """Smallest and largest value, both allowed; None without a bound."""
    choices: tuple[str, ...]
    """All values of a parameter that is a word; empty for numbers and for true or false."""

    @property
    def allowed(self) -> str:
        """Which values it takes, as a phrase: "0 to 1", "at least 1", "true or false", "pagerank or uniform"."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return " or ".join(self.choices)
        if self.least is not None and self.most is not None:
            return f"{shown(self.least)} to {shown(self.most)}"
        return "any number" if self.least is None else f"at least {shown(self.least)}"

    def read(self, text: str) -> Value:
        """Returns the value that a text stands for.

        Raises:
            ValueError: it has another type, or is out of range.
        """
        if isinstance(self.default, bool):
            return {"true": True, "false": False}[text] if text in ("true", "false") else _refuse(text)
        if isinstance(self.default, str):
            return text if text in self.choices else _refuse(text)
        number = type(self.default)(text)
        is_below = self.least is not None and number < self.least
        if not math.isfinite(number) or is_below or (self.most is not None and number > self.most):
            raise ValueError(text)
        return number


def _refuse(text: str) -> Value:
    raise ValueError(text)


def parameter(
    default: Value,
    *,
    meaning: str,
    paper: Value | None = None,
    symbol: str = "",
    least: float | None = 0,
    most: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Returns a field of a dataclass of parameters; its type is that of the default.

    Args:
        default: a number, true or false, or a word.
        meaning: what it is, in a phrase; it stands behind the name in messages and tables.
        paper: value in the paper; None if the paper has no such parameter.
        symbol: the paper's symbol.
        least: smallest value; None without a bound.
        most: largest value; None without a bound.
        choices: all values of a word.
    """
    told = {"paper": paper, "symbol": symbol, "meaning": meaning, "least": least, "most": most, "choices": choices}
    return field(default=default, metadata=told)


def parameters_of(values: DataclassInstance) -> tuple[Parameter, ...]:
    """Returns the parameters of a method in the order of their declaration; `values` are its defaults."""
    return tuple(Parameter(one.name, getattr(values, one.name), **one.metadata) for one in fields(values))


def at_paper_values(kind: type[P]) -> P:
    """Returns parameters with the paper's value wherever the paper has one."""
    papers = {one.name: one.metadata["paper"] for one in fields(kind)}
    return kind(**{name: value for name, value in papers.items() if value is not None})


def with_values(defaults: P, given: Mapping[str, str], method: str) -> P:
    """Returns parameters with some values in place of the defaults.

    Args:
        defaults: the method's parameters.
        given: the text of each value by the parameter's name.
        method: name of the method, for the message.

    Raises:
        SettingsError: there is no such parameter, or a value has another type or is out of range; lists all parameters.
    """
    known = {one.name: one for one in parameters_of(defaults)}
    read: dict[str, Any] = {}
    for name, text in given.items():
        if name not in known:
            raise SettingsError(f"The method {method!r} has no parameter {name!r}. {_listed(method, known)}")
        try:
            read[name] = known[name].read(text)
        except ValueError:
            raise SettingsError(
                f"{name}={text} cannot be used: {known[name].meaning}, {known[name].allowed}. {_listed(method, known)}"
            ) from None
    return replace(defaults, **read)


def changed_values(values: DataclassInstance, defaults: DataclassInstance) -> dict[str, str]:
    """Returns the text of each value that is not the default, by the parameter's name, in alphabetical order."""
    names = sorted(one.name for one in fields(values))
    return {name: shown(getattr(values, name)) for name in names if getattr(values, name) != getattr(defaults, name)}


def shown(value: Value) -> str:
    """Returns a value as it is written in the name of a method: 1 for 1.0, true for True; `Parameter.read` reads it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def _listed(method: str, known: Mapping[str, Parameter]) -> str:
    """Returns a sentence that lists the parameters of a method."""
    if not known:
        return "It has none."
    told = (f"{one.name} ({one.meaning}, {one.allowed}, default {shown(one.default)})" for one in known.values())
    return f"The parameters of {method!r} are: {'; '.join(told)}."
