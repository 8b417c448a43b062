"""Tokenizers of embedding models. Chunks are measured with the installed model's, so the chosen model does not affect them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Encoding, Tokenizer

from noderag_local.models.embedding.model_files import WINDOW, model_folder

TEXTS_AT_ONCE = 4096
"""Maximum texts per call of the tokenizer, since no other thread runs while texts and results are passed."""


class WordPieces:
    """Cuts texts into the tokens of an embedding model."""

    def __init__(self, folder: Path | None = None, window: int = WINDOW) -> None:
        """Keeps which model's tokenizer to load.

        Args:
            folder: folder of the model; None for the installed model.
            window: maximum tokens that `windows` returns for a text.
        """
        self._file = str((folder or model_folder()) / "tokenizer.json")
        self._window_length = window

    @cached_property
    def _whole(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(self._file)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _window(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(self._file)
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._window_length)
        return tokenizer

    def count(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text, without special tokens."""
        counts: list[int] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            some = [encodable(text) for text in texts[start : start + TEXTS_AT_ONCE]]
            counts += [len(encoding) for encoding in self._whole.encode_batch_fast(some, add_special_tokens=False)]
        return counts

    def windows(self, texts: Sequence[str]) -> list[Encoding]:
        """Returns each text as the model reads it: with special tokens, cut at the window, and with character offsets."""
        return list(self._window.encode_batch([encodable(text) for text in texts]))


def encodable(text: str) -> str:
    """Returns a text with "?" in place of lone surrogates, which terminals can produce and the tokenizer refuses."""
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")
