"""The text that names a method with values for its parameters: `ket(beta=0.6, theta=0.2)`, or just `ket`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from noderag_local.domain.errors import SettingsError

_SPEC = re.compile(r"([^\s(),=]++)\s*+(?:\(([^()]*+)\))?")
_LISTED = re.compile(r"(?:[^,()]++|\([^()]*+\)?+|\))++")


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """A method's name and the texts of the values that were given for its parameters."""

    name: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Returns the text that names it, with the values in alphabetical order of the parameters."""
        listed = ", ".join(f"{name}={value}" for name, value in sorted(self.values.items()))
        return f"{self.name}({listed})" if listed else self.name

    def with_value(self, name: str, value: str) -> MethodSpec:
        """Returns the same method with a value for a parameter, in place of the one that it had."""
        return replace(self, values={**self.values, name: value})


def read_spec(text: str) -> MethodSpec:
    """Reads a method's name with values, in any order and with or without spaces.

    Raises:
        SettingsError: it is not a name, or a name and `(parameter=value, …)`; or a parameter is given twice.
    """
    found = _SPEC.fullmatch(text.strip())
    if found is None:
        raise SettingsError(f"{text!r} does not name a method. Write a name, or ket(beta=0.6, theta=0.2).")
    values: dict[str, str] = {}
    for assignment in filter(str.strip, (found[2] or "").split(",")):
        name, value = read_assignment(assignment)
        if name in values:
            raise SettingsError(f"{text!r} gives {name} twice. Give it once.")
        values[name] = value
    return MethodSpec(found[1], values)


def read_assignment(text: str) -> tuple[str, str]:
    """Returns the parameter and the value of `parameter=value`.

    Raises:
        SettingsError: it has not this form.
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise SettingsError(f"{text.strip()!r} should be a parameter and its value, such as beta=0.6.")
    return name, value


def listed_specs(text: str) -> list[str]:
    """Returns the methods in a list with commas between them; commas inside brackets belong to a method."""
    return [part.strip() for part in _LISTED.findall(text) if part.strip()]
