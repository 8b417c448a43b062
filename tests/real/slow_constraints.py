"""Constraints for tests: small, and slow enough to be plainly right."""

from __future__ import annotations

import re


class OneOf:
    """One of a few texts; what all that are left begin with is forced."""

    def __init__(self, *texts: str) -> None:
        self._texts = [text.encode() for text in texts]
        self._so_far = b""

    def allows(self, piece: bytes) -> bool:
        return any(text.startswith(self._so_far + piece) for text in self._texts)

    def accept(self, piece: bytes) -> None:
        assert self.allows(piece)
        self._so_far += piece

    def may_end(self) -> bool:
        return self._so_far in self._texts

    def forced(self) -> bytes:
        left = [text[len(self._so_far) :] for text in self._texts if text.startswith(self._so_far)]
        low, high = min(left), max(left)
        same = next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
        return low[:same]


class Characters:
    """Up to so many characters of a class such as `[a-z ]`, at least one."""

    def __init__(self, allowed: str, most: int) -> None:
        self._pattern, self._most, self._length = re.compile(allowed.encode() + b"*"), most, 0

    def allows(self, piece: bytes) -> bool:
        return self._length + len(piece) <= self._most and self._pattern.fullmatch(piece) is not None

    def accept(self, piece: bytes) -> None:
        assert self.allows(piece)
        self._length += len(piece)

    def may_end(self) -> bool:
        return self._length > 0

    def forced(self) -> bytes:
        return b""


class Nothing(Characters):
    """A dead end: nothing may follow, and the text may not end either."""

    def __init__(self) -> None:
        super().__init__("[a-z]", 0)
