"""Reads the cards of methods: the paper, what a method needs, where it deviates, what was measured, and its parameters."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from noderag_local.retrieval.method_spec import read_spec
from noderag_local.retrieval.parameters import Parameter
from noderag_local.retrieval.retriever import Retriever, asks_model, method_class, method_parameters

_SECTIONS = re.compile(r"^(?=Methods? )", re.MULTILINE)
_METHOD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class MethodCard:
    """A method as people read it."""

    name: str
    summary: str
    """Its purpose in a sentence: the first line of the docstring of its class."""
    asks_model: bool
    """Whether it asks the language model while it searches."""
    parameters: tuple[Parameter, ...]
    text: str
    """The section about it in the docstring of its package, else the docstring of its module."""


def method_card(method: str) -> MethodCard:
    """Returns the card of a method.

    Raises:
        SettingsError: there is no such method, or it cannot be loaded.
    """
    name, found = read_spec(method).name, method_class(method)
    summary = (found.__doc__ or "").strip().partition("\n")[0]
    return MethodCard(name, summary, asks_model(name), method_parameters(name), _text(name, found))


def _text(name: str, found: type[Retriever]) -> str:
    module = sys.modules[found.__module__]
    package = sys.modules.get(module.__package__ or "")
    for section in _SECTIONS.split((package and package.__doc__) or "")[1:]:
        if name in _METHOD.findall(section.partition("\nPaper")[0]):
            return section.strip()
    return (module.__doc__ or "").strip()
