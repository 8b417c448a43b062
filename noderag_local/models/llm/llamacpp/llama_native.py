"""Loads llama.cpp's library quietly, opens models with errors that name the file, and has a flag that stops a computation."""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from collections import deque
from pathlib import Path
from typing import Any

from noderag_local.domain.errors import ModelDamaged, ModelError, ModelMissing
from noderag_local.models.llm.gguf_files.gguf import read_header
from noderag_local.models.llm.llamacpp.library import NOT_INSTALLED

# By default, OpenMP's threads spin while they wait for each other; when other programs need the cores, they occupy a core that
# the thread they wait for needs. Sleeping costs nothing on an idle machine: 24 chunks took 73.7 s, with spinning 73.8 s.
# OpenMP reads the variable when it is loaded.
_before = os.environ.get("OMP_WAIT_POLICY")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
try:
    import llama_cpp.llama_cpp as native
except ImportError as error:
    raise ModelMissing(NOT_INSTALLED) from error
except (OSError, RuntimeError) as error:
    raise ModelError(f"llama.cpp cannot be loaded: {error}. Install it again: pip install llama-cpp-python.") from error
finally:
    if _before is None:
        # Other libraries bring their own OpenMP, which must not be affected.
        del os.environ["OMP_WAIT_POLICY"]

__all__ = ["ABORTED", "Aborted", "Model", "Pointer", "StopFlag", "last_errors", "native"]

Pointer = Any
"""Opaque pointers of llama_cpp, whose own types say no more."""

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
    """Returns whether llama.cpp was built for Intel's matrix tiles (AMX) and the processor has them."""
    return b"AMX_INT8 = 1" in native.llama_print_system_info()


def last_errors() -> str:
    """Returns the lines that llama.cpp logged about the last failure, and clears them."""
    said = "; ".join(_errors)
    _errors.clear()
    return said or "llama.cpp gives no reason"


class Model:
    """An open GGUF model: all weights, or with `vocab_only` just the vocabulary. Freed by `close` or when dropped."""

    def __init__(self, path: Path, vocab_only: bool = False, gpu_layers: int = -1) -> None:
        """Opens the file.

        Args:
            path: the GGUF.
            vocab_only: True loads no weights; enough to count tokens.
            gpu_layers: number of layers on a GPU, if llama.cpp supports it; -1 means all.

        Raises:
            ModelMissing: the file does not exist.
            ModelDamaged: the file is not a GGUF file, is incomplete, or llama.cpp cannot read it.
            ModelError: this llama.cpp is too old for the model, or there is not enough memory.
        """
        header = read_header(path)
        params = native.llama_model_default_params()
        params.vocab_only = vocab_only
        if not vocab_only:
            # A mapped file stays in memory beside the copy that llama.cpp makes for its kernels: 600 MB more for 1.5B.
            params.load_mode = native.LLAMA_LOAD_MODE_NONE
        if _uses_tiles():
            # The kernels for tiles crash on the first prompt: ggml-org/llama.cpp issue 20824.
            params.use_extra_bufts = False
        params.n_gpu_layers = gpu_layers if native.llama_supports_gpu_offload() else 0
        _errors.clear()
        pointer = native.llama_model_load_from_file(os.fsencode(path), params)
        if not pointer:
            raise _load_error(path, last_errors())
        self.path = path
        self.context_length = header.context_tokens
        """Number of tokens that the model was trained to read; 0 if the file does not say."""
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
            ModelError: the model was closed, so its memory is freed.
        """
        if not self._free.alive:
            raise ModelError(f"{self.name} was closed; open the model again.")
        return self._vocabulary

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return int(native.llama_model_n_params(self.pointer))

    @property
    def chat_template(self) -> str | None:
        """Jinja source of the chat template; None if the file has none."""
        text = native.llama_model_chat_template(self.pointer, None)
        return text.decode("utf-8", errors="replace") if text else None

    @property
    def pre_tokenizer(self) -> str:
        """Name of the rules that split a text before it is tokenised; "" if the file does not say."""
        return self._metadata("tokenizer.ggml.pre") or ""

    @property
    def name(self) -> str:
        """File name without its suffix."""
        return self.path.stem

    def cache_bytes_per_token(self) -> int:
        """Returns the bytes of cache that one token takes: keys and values of all layers as 16-bit floats."""
        heads = max(1, native.llama_model_n_head(self.pointer))
        per_head = native.llama_model_n_embd(self.pointer) // heads
        keys = self._head_size("key_length", per_head)
        values = self._head_size("value_length", per_head)
        layers = int(native.llama_model_n_layer(self.pointer))
        return layers * int(native.llama_model_n_head_kv(self.pointer)) * (keys + values) * 2

    def _head_size(self, which: str, otherwise: int) -> int:
        architecture = self._metadata("general.architecture") or ""
        value = self._metadata(f"{architecture}.attention.{which}")
        return int(value) if value and value.isdigit() else otherwise

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
"""Value that llama_decode returns after its abort callback returned true."""


class Aborted(Exception):
    """Raised when the stop flag was set while the model was reading; the cache is as it was before that block."""


class StopFlag:
    """A flag that llama.cpp can check without Python.

    llama.cpp calls its abort callback at every node of the computation, a thousand times a batch. A callback in Python would
    wait for the interpreter's lock each time, which slows reading down many times when the interface is busy. C's `strlen`
    over two bytes fits the callback's signature and needs no lock: it returns 0 until the first byte is set.
    """

    def __init__(self) -> None:
        self._bytes = ctypes.create_string_buffer(2)

    def set(self) -> None:
        """Makes the model stop within a node of its computation."""
        self._bytes[0] = b"\x01"

    def clear(self) -> None:
        """Lets the model compute again."""
        self._bytes[0] = b"\x00"

    def is_set(self) -> bool:
        """Returns whether the flag is set."""
        return self._bytes[0] != b"\x00"

    def guard(self, context: Pointer) -> None:
        """Makes a context check this flag; the flag must stay alive until the context has another or is freed."""
        native.llama_set_abort_callback(context, _flag_is_set, ctypes.c_void_p(ctypes.addressof(self._bytes)))


_c_library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
_flag_is_set = ctypes.cast(_c_library.strlen, native.ggml_abort_callback)
