"""Short names to long ones within a document: "Cross" beside "Christopher Cross"."""

from __future__ import annotations

from collections.abc import Iterable


def longer_names(keys: Iterable[str]) -> dict[str, str]:
    """For each key that begins or ends a longer key of the same document, the first such one.

    Args:
        keys: entity keys in the order in which the document names them. Keys that are numbers are never resolved:
            "1957" is not short for "16 june 1957".
    """
    ordered = list(dict.fromkeys(keys))
    longer: dict[str, str] = {}
    for name in ordered:
        words = name.split(" ")
        for part in {" ".join(words[:count]) for count in range(1, len(words))} | {
            " ".join(words[-count:]) for count in range(1, len(words))
        }:
            longer.setdefault(part, name)
    return {key: longer[key] for key in ordered if key in longer and not any(map(str.isdigit, key))}
