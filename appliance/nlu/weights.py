"""The weights in an `encoder.onnx`, by the names of the network's parameters, as float32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from appliance.errors import ConfigError

Weights = dict[str, npt.NDArray[np.float32]]


def read_weights(path: Path) -> Weights:
    """Read a file that the trainer or the encoder's recipe has written, int8 or float32.

    A matrix [in, out] of the graph is a weight [out, in] of the network.

    Raises:
        ConfigError: the file is none of ours.
    """
    try:
        graph = onnx.load(str(path)).graph
    except Exception as error:  # protobuf's errors share no base class with OSError
        raise ConfigError(f"{path}: cannot be read as ONNX: {error}") from error
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    weights: Weights = {
        name: value
        for name, value in stored.items()
        if value.dtype == np.float32 and "::" not in name
    }
    for node in graph.node:
        layer, _, operation = node.name.strip("/").rpartition("/")
        if operation not in ("MatMul", "MatMul_quant") or len(node.input) < 2:
            continue
        matrix = _matrix(stored, node.input[1])
        if matrix is not None:
            weights[f"{layer.replace('/', '.')}.weight"] = np.ascontiguousarray(matrix.T)
    words = _matrix(stored, "words.weight_quantized")
    if words is not None:
        weights["words.weight"] = words
    kept = {
        name: value
        for name, value in weights.items()
        if not name.endswith(("_scale", "_min", "_max"))
    }
    if "words.weight" not in kept or "positions" not in kept:
        raise ConfigError(f"{path}: not an encoder that this program has written")
    return kept


def _matrix(
    stored: dict[str, npt.NDArray[np.generic]], name: str
) -> npt.NDArray[np.float32] | None:
    """An initializer as float32; dequantized if it is stored as int8; None if there is none."""
    value = stored.get(name)
    if value is None:
        return None
    if not name.endswith("_quantized"):
        return value.astype(np.float32)
    stem = name.removesuffix("_quantized")
    scale, zero = stored[f"{stem}_scale"], stored[f"{stem}_zero_point"]
    shifted = value.astype(np.float32) - zero.astype(np.float32)
    result: npt.NDArray[np.float32] = (shifted * scale.astype(np.float32)).astype(np.float32)
    return result
