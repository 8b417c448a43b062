"""Variants of methods that `--set parameter=value` asks for; several values with commas between them are a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from noderag_local.domain.errors import SettingsError
from noderag_local.retrieval.method_spec import read_assignment, read_spec
from noderag_local.retrieval.retriever import canonical, method_parameters


def with_assignments(method: str, assignments: Sequence[str]) -> str:
    """Returns the canonical name of a method with values for its parameters.

    Args:
        method: name of the method; values may stand in brackets.
        assignments: `parameter=value`, one value each.

    Raises:
        SettingsError: the method has no such parameter, or a value cannot be used.
    """
    spec = read_spec(method)
    for name, value in map(read_assignment, assignments):
        if "," in value:
            raise SettingsError(
                f"{name}={value} gives {name} several values. Give it one; `noderag eval` compares several."
            )
        spec = spec.with_value(name, value)
    return canonical(str(spec))


def variants(methods: Sequence[str], assignments: Sequence[str]) -> list[str]:
    """Returns the canonical names of the methods, each as often as a sweep has values for it, without repetitions.

    Args:
        methods: names of methods; values may stand in brackets.
        assignments: `parameter=value` or `parameter=value,value,…`; each changes all methods that have the parameter.

    Raises:
        SettingsError: no method has a parameter, or a value cannot be used.
    """
    values = {name: text.split(",") for name, text in map(read_assignment, assignments)}
    parameters = {method: {one.name for one in method_parameters(method)} for method in methods}
    for name in values:
        if not any(name in known for known in parameters.values()):
            having = "; ".join(
                f"{method} has {', '.join(sorted(known)) or 'none'}" for method, known in parameters.items()
            )
            raise SettingsError(
                f"None of the methods has a parameter {name!r}: {having}. 'noderag methods' explains them."
            )
    swept = (
        _swept(method, {name: values[name] for name in values if name in parameters[method]}) for method in methods
    )
    return list(dict.fromkeys(canonical(variant) for of_method in swept for variant in of_method))


def _swept(method: str, values: dict[str, list[str]]) -> Iterator[str]:
    """Yields a method with every combination of the values."""
    for combination in product(*values.values()):
        spec = read_spec(method)
        for name, value in zip(values, combination, strict=True):
            spec = spec.with_value(name, value.strip())
        yield str(spec)
