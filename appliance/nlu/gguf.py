"""An `encoder.onnx` as the file that llama.cpp loads, made once on the box that needs it.

    encoder.onnx -> weights, float32 -> matrices Q8_0, the rest float32 -> intents-SHA256.gguf

The same encoder gives the same bytes, and the name tells which encoder it is, so a second start
finds the file and a new model makes a new one. Made under another name, flushed and renamed: who
is killed meanwhile leaves no half file under that name. Old ones may be removed at any time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from appliance.errors import ConfigError

Tensors = dict[str, npt.NDArray[np.float32]]

REMEDY = (
    "install the extra, in a checkout with scripts/install llama, otherwise with "
    "pip install 'voice-appliance[llama]' (it compiles for 3 to 12 minutes and needs cmake, ninja "
    'and g++), or set understanding.backend = "onnx"'
)

_FORM = b"gguf 1"
"""Part of the name: to be counted up when this module writes another file for the same encoder."""
_HEAD_WIDTH = 32
_EPSILON = 1e-12
"""Neither is in the weights; both are those of `appliance.training.network`."""
_PARTS = {
    "query": "attn_q",
    "key": "attn_k",
    "value": "attn_v",
    "out": "attn_output",
    "out_norm": "attn_output_norm",
    "widen": "ffn_up",
    "narrow": "ffn_down",
    "norm": "layer_output_norm",
}
"""A layer's parameters: our names, and llama.cpp's for the architecture `bert`."""


def cached_gguf(encoder: Path, folder: Path) -> Path:
    """The GGUF of an `encoder.onnx` in a folder, made now if it is not there (half a second).

    Raises:
        ConfigError: the encoder is none of ours, the folder cannot hold the file, or a library of
            the extra `llama` is missing.
    """
    try:
        digest = hashlib.sha256(_FORM + encoder.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigError(f"understanding.model: {encoder}: {error.strerror}") from error
    target = folder / f"intents-{digest}.gguf"
    if target.is_file():
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone_in(folder) as opened:
            for left in folder.glob("intents-*.part"):  # by who was killed
                left.unlink()
            if not target.is_file():
                part = target.with_suffix(".part")
                write_gguf(encoder, part)
                part.replace(target)
                os.fsync(opened)
    except OSError as error:
        raise ConfigError(
            f"understanding.cache: {folder}: cannot hold the intent model's GGUF (24 MB): {error}"
        ) from error
    return target


def write_gguf(encoder: Path, target: Path) -> None:
    """Write the GGUF of an `encoder.onnx`, and have it on the disk at the return.

    Raises:
        ConfigError: the encoder is none of ours, or a library of the extra `llama` is missing.
        OSError: it cannot be written; nothing is left of it.
    """
    try:
        import gguf  # noqa: PLC0415 (of the extra)

        from appliance.nlu.weights import read_weights  # noqa: PLC0415 (needs onnx, of the extra)
    except ImportError as error:
        raise ConfigError(f"understanding.backend: {error}: {REMEDY}") from error
    tensors = _tensors(read_weights(encoder))
    writer = gguf.GGUFWriter(target, "bert")
    _describe(writer, tensors)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    for name, value in tensors.items():
        if _is_matrix(name):
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quantize(value, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, value)
    try:
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        with target.open("rb") as written:
            os.fsync(written.fileno())
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _tensors(weights: Tensors) -> Tensors:
    """The weights by llama.cpp's names, in the order of the file.

    Raises:
        ConfigError: one is missing.
    """
    layers = {int(name.split(".")[1]) for name in weights if name.startswith("layers.")}
    names = {
        "token_embd.weight": "words.weight",
        "position_embd.weight": "positions",
        "token_embd_norm.weight": "norm.weight",
        "token_embd_norm.bias": "norm.bias",
    } | {
        f"blk.{layer}.{theirs}.{kind}": f"layers.{layer}.{ours}.{kind}"
        for layer in sorted(layers)
        for ours, theirs in _PARTS.items()
        for kind in ("weight", "bias")
    }
    try:
        return {
            theirs: np.ascontiguousarray(weights[ours], np.float32)
            for theirs, ours in names.items()
        }
    except KeyError as error:
        raise ConfigError(f"understanding.model: the encoder has no {error}") from error


def _is_matrix(name: str) -> bool:
    """Whether a tensor is stored as Q8_0; positions are few, and added to everything."""
    return name.endswith(".weight") and "norm" not in name and not name.startswith("position")


def _describe(writer: Any, tensors: Tensors) -> None:
    """The header: what llama.cpp must know of the network. It gets ids, so no vocabulary."""
    words, width = tensors["token_embd.weight"].shape
    writer.add_vocab_size(words)
    writer.add_tokenizer_model("no_vocab")
    writer.add_token_type_count(1)  # our positions hold the vector of the only type
    writer.add_context_length(tensors["position_embd.weight"].shape[0])
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(tensors["blk.0.ffn_up.weight"].shape[0])
    writer.add_block_count(sum(name.endswith("attn_q.weight") for name in tensors))
    writer.add_head_count(width // _HEAD_WIDTH)
    writer.add_layer_norm_eps(_EPSILON)
    writer.add_causal_attention(False)


@contextmanager
def _alone_in(folder: Path) -> Iterator[int]:
    """Hold a folder, against others that would write the same file; gives its descriptor."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield opened
    finally:
        os.close(opened)
