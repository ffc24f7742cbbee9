"""The published weights of all-MiniLM-L6-v2 in our own network, without `safetensors`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from appliance.training.network import LAYERS, Encoder


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
    encoder = Encoder(len(kept), positions, layers, unit=True)
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
