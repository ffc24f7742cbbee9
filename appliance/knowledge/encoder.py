"""The sentence encoder: a text as a vector, so that texts that mean alike are near each other.

    text -> pieces of words -> ONNX (int8) -> mean -> float32 [384], of length 1

The only module of this package that names onnxruntime and tokenizers. English only: the vocabulary
of the shipped encoder (models/encoder) has no other language.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from appliance.errors import ConfigError, EngineError

Vector = npt.NDArray[np.float32]

_FILES = ("encoder.onnx", "tokenizer.json")


class SentenceEncoder:
    """One encoder for all threads; texts are encoded one by one.

    One by one, because the int8 arithmetic scales each run by its largest value: beside other
    texts, a text would get another vector.
    """

    def __init__(self, folder: Path, threads: int = 1, setting: str = "documents.encoder") -> None:
        """Load it; takes about 100 ms. `setting` is what an error names.

        Raises:
            ConfigError: the folder is no encoder.
        """
        for name in _FILES:
            if not (folder / name).is_file():
                raise ConfigError(f"{setting}: {folder / name} is missing")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session = onnxruntime.InferenceSession(
                str(folder / "encoder.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise ConfigError(f"{setting}: {folder} cannot be loaded: {error}") from error
        self.identity = digest_of(folder)
        self.width = len(self.encode("ready"))

    def encode(self, text: str) -> Vector:
        """The vector of a text; what is longer than 256 pieces of words is cut.

        Raises:
            EngineError: onnxruntime failed on it.
        """
        with _engine_errors():
            ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
            (found,) = self._session.run(["vectors"], {"ids": ids, "mask": np.ones_like(ids)})
        vector: Vector = found[0].astype(np.float32)
        if not np.isfinite(vector).all():
            raise EngineError("encoder: a vector is not finite")
        return vector


def digest_of(folder: Path) -> str:
    """Which encoder a folder holds: a digest of its files. Raises OSError."""
    digest = hashlib.sha256()
    for name in _FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _engine_errors() -> Iterator[None]:
    """Whatever tokenizers or onnxruntime raise on one text; they share no base class."""
    try:
        yield
    except Exception as error:
        raise EngineError(f"encoder: {error}") from error
