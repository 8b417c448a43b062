"""llama.cpp's library: loaded quietly, models opened with errors that name the file, and a flag that stops a computation."""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from collections import deque
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import ModelDamaged, ModelError
from noderag_local.models.llm.gguf_files.gguf import read_header

# OpenMP's threads spin by default while they wait for each other, and when something else wants the cores they spin on a
# core that the one they wait for needs. Sleeping costs nothing on a quiet machine: 24 chunks took 73.7 s, and 73.8 s with
# spinning threads. OpenMP reads the variable while it is loaded.
_before = os.environ.get("OMP_WAIT_POLICY")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
import llama_cpp.llama_cpp as native  # noqa: E402

if _before is None:
    # Other libraries come with an OpenMP of their own and are left as they are.
    del os.environ["OMP_WAIT_POLICY"]

__all__ = ["ABORTED", "Aborted", "Model", "Pointer", "StopFlag", "last_errors", "native"]

Pointer = Any
"""llama_cpp's opaque pointers; its own types say no more."""

ERROR_LEVEL = 4
"""GGML_LOG_LEVEL_ERROR in ggml.h."""

_errors: deque[str] = deque(maxlen=8)


def _keep_error(level: int, text: bytes | None, _: ctypes.c_void_p) -> None:
    if level == ERROR_LEVEL and text:
        _errors.append(text.decode("utf-8", errors="replace").strip())


# The library keeps the address of the callback, so the object must live as long as the process.
_log_callback = native.llama_log_callback(_keep_error)
native.llama_log_set(_log_callback, ctypes.c_void_p(0))


def _uses_tiles() -> bool:
    """Returns whether llama.cpp was built for Intel's tiles (AMX), and the processor has them."""
    return b"AMX_INT8 = 1" in native.llama_print_system_info()


def last_errors() -> str:
    """Returns the last lines that llama.cpp logged when something failed, and clears them."""
    said = "; ".join(_errors)
    _errors.clear()
    return said or "llama.cpp gives no reason"


class Model:
    """An open GGUF: its weights, or with `vocab_only` only its vocabulary. Freed by `close` or when dropped."""

    def __init__(self, path: Path, vocab_only: bool = False, gpu_layers: int = -1) -> None:
        """Opens the file.

        Args:
            path: the GGUF.
            vocab_only: leave the weights out; enough to count tokens.
            gpu_layers: layers on a GPU, where llama.cpp was built for one; -1: all.

        Raises:
            ModelMissing: there is no such file.
            ModelDamaged: the file is no GGUF, is cut short, or llama.cpp cannot read it.
            ModelError: this llama.cpp is too old for the model, or there is no memory for it.
        """
        header = read_header(path)
        params = native.llama_model_default_params()
        params.vocab_only = vocab_only
        if not vocab_only:
            # Mapped, the file stays in memory beside the copy that llama.cpp makes for its kernels: 600 MB more for 1.5B.
            params.load_mode = native.LLAMA_LOAD_MODE_NONE
        if _uses_tiles():
            # Its kernels for them crash on the first prompt: ggml-org/llama.cpp issue 20824.
            params.use_extra_bufts = False
        params.n_gpu_layers = gpu_layers if native.llama_supports_gpu_offload() else 0
        _errors.clear()
        pointer = native.llama_model_load_from_file(os.fsencode(path), params)
        if not pointer:
            raise _load_error(path, last_errors())
        self.path = path
        self.context_length = header.context_tokens
        """Tokens the model was trained to read; 0 where the file does not say."""
        self.pointer = pointer
        self._vocabulary = native.llama_model_get_vocab(pointer)
        self._free = weakref.finalize(self, native.llama_model_free, pointer)

    def close(self) -> None:
        """Frees the model; a second call does nothing."""
        self._free()

    @property
    def vocabulary(self) -> Pointer:
        """llama.cpp's vocabulary of the model.

        Raises:
            ModelError: the model was closed, and its memory is gone.
        """
        if not self._free.alive:
            raise ModelError(f"{self.name} was closed; open the model again.")
        return self._vocabulary

    @property
    def chat_template(self) -> str | None:
        """The Jinja source of the chat template, where the file has one."""
        text = native.llama_model_chat_template(self.pointer, None)
        return text.decode("utf-8", errors="replace") if text else None

    @property
    def pre_tokenizer(self) -> str:
        """Name of the rules that cut a text before it is tokenised; "" when the file does not say."""
        return self._metadata("tokenizer.ggml.pre") or ""

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    def cache_bytes_per_token(self) -> int:
        """Returns the bytes that one token takes in the cache: keys and values of all layers as 16-bit floats."""
        heads = max(1, native.llama_model_n_head(self.pointer))
        per_head = native.llama_model_n_embd(self.pointer) // heads
        keys = self._head_size("key_length", per_head)
        values = self._head_size("value_length", per_head)
        layers = int(native.llama_model_n_layer(self.pointer))
        return layers * int(native.llama_model_n_head_kv(self.pointer)) * (keys + values) * 2

    def _head_size(self, which: str, otherwise: int) -> int:
        architecture = self._metadata("general.architecture") or ""
        told = self._metadata(f"{architecture}.attention.{which}")
        return int(told) if told and told.isdigit() else otherwise

    def _metadata(self, key: str) -> str | None:
        buffer = ctypes.create_string_buffer(256)
        length = native.llama_model_meta_val_str(self.pointer, key.encode(), buffer, len(buffer))
        return buffer.value.decode("utf-8", errors="replace") if length >= 0 else None


def _load_error(path: Path, reason: str) -> ModelError:
    if "unknown model architecture" in reason or "unknown pre-tokenizer" in reason:
        return ModelError(
            f"{path} is a kind of model that this llama.cpp does not know ({reason}). "
            "Update llama-cpp-python or choose another model: `noderag models list`."
        )
    if "alloc" in reason:
        return ModelError(
            f"There is not enough memory for {path} ({reason}). Close other programs or choose a smaller model: "
            "`noderag models list`."
        )
    return ModelDamaged(
        f"{path} cannot be loaded: {reason}. Remove it and get it again: `noderag models get`, "
        "or `noderag models add FILE.gguf` for a file of your own."
    )


ABORTED = 2
"""Value that llama_decode returns after its abort callback said yes."""


class Aborted(Exception):
    """The stop flag was set while the model was reading; the cache is as it was before that block."""


class StopFlag:
    """A flag that llama.cpp can look at without Python.

    The abort callback is asked at every node of the computation, a thousand times a batch. A callback in Python would
    wait for the interpreter's lock each time, so that a busy interface slows reading down many times over. C's
    `strlen` over two bytes of our own has the shape of that callback and needs no lock: it is 0 until the first byte is set.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)

    def set(self) -> None:
        """Makes the model stop, within a node of its computation."""
        self._bytes[0] = b"\x01"

    def clear(self) -> None:
        """Lets the model compute again."""
        self._bytes[0] = b"\x00"

    def is_set(self) -> bool:
        """Returns whether the model should stop."""
        return self._bytes[0] != b"\x00"

    def guard(self, context: Pointer) -> None:
        """Makes this the flag of a context; it must live until the context has another or is freed."""
        native.llama_set_abort_callback(context, _flag_is_set, ctypes.c_void_p(ctypes.addressof(self._bytes)))


_c_library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
_flag_is_set = ctypes.cast(_c_library.strlen, native.ggml_abort_callback)
