"""A small BERT as a plain torch module, out of and into the ONNX file that the appliance loads.

    ids, mask [N, T] -> embedding + position -> L x (attention, feed-forward) -> mean -> [N, 384]

Written out here so that training needs neither `transformers` nor `safetensors`. Only this module,
`fit` and the recipes import torch; the running box has none.
"""

from __future__ import annotations

import logging
import math
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from appliance.nlu.weights import read_weights

WIDTH, HEADS, INNER, LAYERS = 384, 12, 1536, 6
_EPSILON = 1e-12


class Layer(nn.Module):
    """One layer of BERT, normalised after each part."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.widen = nn.Linear(WIDTH, INNER)
        self.narrow = nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """`states` [N, T, 384], `bias` [N, 1, 1, T]: what is added to each attention weight."""
        count, length, _ = states.shape

        def split(projected: Tensor) -> Tensor:
            return projected.view(count, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = (split(each(states)) for each in (self.query, self.key, self.value))
        weights = (query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + bias).softmax(-1)
        heard = (self.dropout(weights) @ value).transpose(1, 2).reshape(count, length, WIDTH)
        states = self.out_norm(states + self.dropout(self.out(heard)))
        inner = self.narrow(nn.functional.gelu(self.widen(states)))
        result: Tensor = self.norm(states + self.dropout(inner))
        return result


class Encoder(nn.Module):
    """Texts as vectors: the mean of the last states, of length one if `unit`."""

    def __init__(
        self, words: int, positions: int, layers: int = LAYERS, *, dropout: float = 0.0, unit: bool
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Parameter(torch.zeros(positions, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.unit = unit

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """`ids` and `mask` are int64 [N, T]; the vectors are float32 [N, 384]."""
        states = self.dropout(self.norm(self.words(ids) + self.positions[: ids.shape[1]]))
        kept = mask.to(states.dtype)
        bias = (1.0 - kept)[:, None, None, :] * -1e4
        for layer in self.layers:
            states = layer(states, bias)
        mean = (states * kept[..., None]).sum(1) / kept.sum(1, keepdim=True)
        return mean / mean.norm(dim=1, keepdim=True) if self.unit else mean


def load_network(path: Path, *, dropout: float = 0.0, unit: bool = False) -> Encoder:
    """The network of an `encoder.onnx`, its int8 weights as float32: where fine-tuning begins.

    Raises:
        ConfigError: the file is no encoder of ours.
    """
    weights = read_weights(path)
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    words, positions = weights["words.weight"].shape[0], weights["positions"].shape[0]
    network = Encoder(words, positions, layers, dropout=dropout, unit=unit)
    state = {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
    network.load_state_dict(state)
    return network


def widen_vocabulary(network: Encoder, rows: Iterable[npt.NDArray[np.float32]]) -> None:
    """Add rows [384] at the end of the table of words."""
    old = network.words.weight.data
    added = torch.from_numpy(np.stack(list(rows)))
    network.words = nn.Embedding(old.shape[0] + added.shape[0], WIDTH)
    network.words.weight.data = torch.cat([old, added])


def write_onnx(network: nn.Module, path: Path) -> None:
    """The graph in float32, with free batch and length."""
    import onnx  # noqa: PLC0415 (of the extra, as torch is)

    ids = torch.ones((2, 7), dtype=torch.int64)
    free = {0: "texts", 1: "tokens"}
    torch.onnx.export(
        network.eval(), (ids, torch.ones_like(ids)), str(path), dynamo=False, opset_version=17,
        input_names=["ids", "mask"], output_names=["vectors"],
        dynamic_axes={"ids": free, "mask": free, "vectors": {0: "texts"}},
    )  # fmt: skip
    onnx.checker.check_model(onnx.load(str(path)))


def write_quantized(network: nn.Module, target: Path) -> None:
    """The graph with weights int8, a scale for each channel.

    `reduce_range` (7 bits) keeps processors without VNNI from overflowing their 16-bit sums.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: PLC0415 (needs onnx)

    settings: dict[str, Any] = {
        "per_channel": True, "reduce_range": True, "weight_type": QuantType.QInt8
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        write_onnx(network, plain)
        logging.disable(logging.WARNING)  # it advises a step that changes nothing here
        try:
            quantize_dynamic(str(plain), str(target), **settings)
        finally:
            logging.disable(logging.NOTSET)
