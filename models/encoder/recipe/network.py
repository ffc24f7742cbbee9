"""all-MiniLM-L6-v2 as a plain torch module: a BERT of six layers, and the mean of its states.

    ids, mask [N, T] -> embedding + position -> 6 x (attention, feed-forward) -> mean -> [N, 384]

Written out here so that the recipe needs neither `transformers` nor `safetensors`. Names of
parameters are those of the checkpoint.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

WIDTH, HEADS, INNER, LAYERS = 384, 12, 1536, 6
_EPSILON = 1e-12


class Layer(nn.Module):
    """One layer of BERT, normalised after each part."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.out_norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.widen = nn.Linear(WIDTH, INNER)
        self.narrow = nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        count, length, _ = states.shape

        def split(projected: Tensor) -> Tensor:
            return projected.view(count, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = (split(each(states)) for each in (self.query, self.key, self.value))
        weights = (query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + bias).softmax(-1)
        heard = (weights @ value).transpose(1, 2).reshape(count, length, WIDTH)
        states = self.out_norm(states + self.out(heard))
        return self.norm(states + self.narrow(nn.functional.gelu(self.widen(states))))


class Encoder(nn.Module):
    """Sentences as vectors of length one."""

    def __init__(self, words: int, positions: int, layers: int = LAYERS) -> None:
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Parameter(torch.zeros(positions, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """`ids` and `mask` are int64 [N, T]; the vectors are float32 [N, 384]."""
        states = self.norm(self.words(ids) + self.positions[: ids.shape[1]])
        kept = mask.to(states.dtype)
        bias = (1.0 - kept)[:, None, None, :] * -1e4
        for layer in self.layers:
            states = layer(states, bias)
        mean = (states * kept[..., None]).sum(1) / kept.sum(1, keepdim=True)
        return mean / mean.norm(dim=1, keepdim=True)


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The float32 tensors of a safetensors file: a length, a JSON header, and raw values."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header: dict[str, Any] = json.loads(raw[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":  # position_ids are counted here
            continue
        begin, end = (8 + size + each for each in entry["data_offsets"])
        values = np.frombuffer(raw[begin:end], dtype="<f4").reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values.copy())
    return tensors


def load_encoder(weights: Path, kept: list[int], positions: int, layers: int = LAYERS) -> Encoder:
    """The published weights, with only these rows of the vocabulary and so many positions."""
    stored = read_safetensors(weights)
    encoder = Encoder(len(kept), positions, layers)
    names = {
        "query": "attention.self.query",
        "key": "attention.self.key",
        "value": "attention.self.value",
        "out": "attention.output.dense",
        "out_norm": "attention.output.LayerNorm",
        "widen": "intermediate.dense",
        "narrow": "output.dense",
        "norm": "output.LayerNorm",
    }
    state = {
        f"layers.{number}.{ours}.{part}": stored[f"encoder.layer.{number}.{theirs}.{part}"]
        for number in range(layers)
        for ours, theirs in names.items()
        for part in ("weight", "bias")
    }
    first_kind = stored["embeddings.token_type_embeddings.weight"][0]  # there is only one text
    state |= {
        "words.weight": stored["embeddings.word_embeddings.weight"][kept],
        "positions": stored["embeddings.position_embeddings.weight"][:positions] + first_kind,
        "norm.weight": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    encoder.load_state_dict(state)
    return encoder.eval()
