"""The embedding model's own tokenizer: always installed, so chunks never depend on which language model is there."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Encoding, Tokenizer

from noderag_local.models.embedding.model_files import WINDOW, model_folder

TEXTS_AT_ONCE = 4096
"""Nothing else of the process runs while the texts of a call are handed over, and while what it gave is thrown away."""


class WordPieces:
    """Cuts texts into the word pieces of the embedding model."""

    def __init__(self) -> None:
        self._whole = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        self._whole.no_padding()
        self._whole.no_truncation()
        self._window = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        self._window.no_padding()
        self._window.enable_truncation(WINDOW)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Counts the word pieces of each text, without the marks at its ends."""
        counts: list[int] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            some = [_encodable(text) for text in texts[start : start + TEXTS_AT_ONCE]]
            counts += [len(encoding) for encoding in self._whole.encode_batch_fast(some, add_special_tokens=False)]
        return counts

    def windows(self, texts: Sequence[str]) -> list[Encoding]:
        """Returns each text as the model reads it: with marks at its ends, at most WINDOW pieces, with character offsets."""
        return list(self._window.encode_batch([_encodable(text) for text in texts]))


def _encodable(text: str) -> str:
    """Replaces halves of surrogate pairs, which a terminal can pass on and the Rust tokenizer refuses."""
    return text if text.isascii() else text.encode("utf-8", errors="replace").decode("utf-8")
