"""The intent model's encoder on llama.cpp: the same weights, the same ids, the same pooling.

    text -> pieces of words (tokenizers) -> GGUF (Q8_0) on llama.cpp -> mean -> float32 [384]

For boxes whose owners keep all their models in llama.cpp; ONNX Runtime is the default and faster.
The only module that names llama_cpp, an extra that compiles. llama.cpp's own tokenizer is not used:
it would read some words in other pieces.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections import deque
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from appliance.errors import ConfigError, EngineError
from appliance.nlu.gguf import REMEDY, cached_gguf

Vector = npt.NDArray[np.float32]

_LOG_ERROR = 4  # ggml_log_level in ggml.h
_complaints: deque[str] = deque(maxlen=4)
"""What llama.cpp last said of its errors, in any thread; all else that it says is dropped."""
_held: list[Any] = []
"""The function that hears it: ctypes frees a callback that nobody holds."""


class LlamaEncoder:
    """One encoder for all threads; they take turns, because llama.cpp works in one place.

    Attributes:
        identity: of the weights, the vocabulary and this way of computing.
        width: numbers in a vector.
    """

    def __init__(self, folder: Path, store: Path, threads: int = 1) -> None:
        """Load it, 0.1 s; the first time for a model its GGUF is written, 0.6 s.

        Args:
            folder: of the model: `encoder.onnx`, `tokenizer.json`.
            store: folder for the GGUF (24 MB); made if it is missing.
            threads: that compute a vector.

        Raises:
            ConfigError: the folder is no encoder, the store cannot be written, or the extra `llama`
                is not installed.
        """
        library = _library()
        self._tokenizer = _tokenizer(folder / "tokenizer.json")
        path = cached_gguf(folder / "encoder.onnx", store)
        model, context = _load(library, path, threads)
        self.width: int = library.llama_model_n_embd(model)
        self._longest: int = library.llama_n_ctx_seq(context)
        self._batch = _batch(library, self._longest)
        self._ids = np.ctypeslib.as_array(self._batch.token, (self._longest,))
        self._library, self._context, self._turn = library, context, threading.Lock()
        weakref.finalize(self, _free, library, model, context, self._batch)
        words = library.llama_vocab_n_tokens(library.llama_model_get_vocab(model))
        pieces = self._tokenizer.get_vocab_size()
        if pieces > words:
            raise ConfigError(
                f"understanding.model: {folder}: the vocabulary has {pieces} pieces of words, "
                f"the encoder {words}: they are of two models"
            )
        digest = hashlib.sha256(path.name.encode() + (folder / "tokenizer.json").read_bytes())
        self.identity = digest.hexdigest()[:16]
        self.encode("ready")

    def encode(self, text: str) -> Vector:
        """The vector of a text, not brought to any length; what is too long is cut.

        Raises:
            EngineError: llama.cpp or tokenizers failed on it.
        """
        try:
            ids = self._tokenizer.encode(text).ids
        except Exception as error:  # tokenizers raises bare Exception
            raise EngineError(f"encoder: {error}") from error
        if len(ids) > self._longest:
            raise EngineError(
                f"encoder: {len(ids)} pieces of words, but it has {self._longest} places"
            )
        library = self._library
        with self._turn:
            self._batch.n_tokens = len(ids)
            self._ids[: len(ids)] = ids
            code = library.llama_encode(self._context, self._batch)
            if code != 0:
                raise EngineError(f"encoder: llama.cpp failed with {code}: {_complained()}")
            found = library.llama_get_embeddings_seq(self._context, 0)
            if not found:
                raise EngineError("encoder: llama.cpp gave no vector")
            vector: Vector = np.ctypeslib.as_array(found, (self.width,)).copy()
        if not np.isfinite(vector).all():
            raise EngineError("encoder: a vector is not finite")
        return vector


@cache
def _library() -> Any:
    """llama_cpp, loaded once and silent.

    Raises:
        ConfigError: it is not installed, or its own libraries cannot be loaded.
    """
    try:
        import llama_cpp  # noqa: PLC0415 (an extra that compiles)
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigError(f'understanding.backend: "llama": {error}: {REMEDY}') from error

    def hear(level: int, text: bytes, _: object) -> None:
        if level == _LOG_ERROR:
            _complaints.append(text.decode(errors="replace").strip())

    heard = llama_cpp.llama_log_callback(hear)
    llama_cpp.llama_log_set(heard, None)
    llama_cpp.llama_backend_init()
    _held.append(heard)
    return llama_cpp


def _tokenizer(path: Path) -> Tokenizer:
    """Read a `tokenizer.json`. Raises ConfigError."""
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise ConfigError(f"understanding.model: {path}: {error}") from error


def _complained() -> str:
    return "; ".join(_complaints) or "it gives no reason"


def _load(library: Any, path: Path, threads: int) -> tuple[Any, Any]:
    """Model and context of a GGUF.

    Raises:
        ConfigError: the file is broken.
    """
    _complaints.clear()
    settings = library.llama_model_default_params()
    settings.n_gpu_layers = 0
    settings.load_mode = (
        library.LLAMA_LOAD_MODE_NONE
    )  # a mapped file that shrinks kills the process
    settings.check_tensors = True
    settings.use_extra_bufts = (
        False  # of no use here, and the one for AMX crashes in a native build
    )
    model = library.llama_model_load_from_file(str(path).encode(), settings)
    if not model:
        raise ConfigError(f"{path} cannot be loaded ({_complained()}): remove it; it is made again")
    places = library.llama_model_n_ctx_train(model)
    wanted = library.llama_context_default_params()
    wanted.n_ctx = wanted.n_batch = wanted.n_ubatch = places
    wanted.n_seq_max = 1
    wanted.n_threads = wanted.n_threads_batch = threads
    wanted.embeddings = True
    wanted.pooling_type = library.LLAMA_POOLING_TYPE_MEAN
    context = library.llama_init_from_model(model, wanted)
    if not context:
        library.llama_model_free(model)
        raise ConfigError(f"{path}: llama.cpp has no room for it: {_complained()}")
    return model, context


def _batch(library: Any, longest: int) -> Any:
    """Room for one text; only its ids change from text to text."""
    batch = library.llama_batch_init(longest, 0, 1)
    for place in range(longest):
        batch.pos[place] = place
        batch.n_seq_id[place] = 1
        batch.seq_id[place][0] = 0
        batch.logits[place] = 1  # every state counts in the mean
    return batch


def _free(library: Any, model: Any, context: Any, batch: Any) -> None:
    library.llama_batch_free(batch)
    library.llama_free(context)
    library.llama_model_free(model)
