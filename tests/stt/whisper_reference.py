"""Whisper's network in plain numpy, by the paper and Hugging Face's names: what converters owe.

Radford et al. 2022, section 2.2: pre-norm transformer (Vaswani et al. 2017) with GELU, two
convolutions before the encoder, no bias on the keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_erf = np.vectorize(math.erf)


class Reference:
    """One model; `weights` have Hugging Face's names without the prefix "model."."""

    def __init__(self, weights: Mapping[str, Floats], heads: int, layers: int) -> None:
        self._weights, self._heads, self._layers = weights, heads, layers

    def encode(self, mel: Floats) -> Floats:
        """Log-mel [80, T], T even, to hidden states [T/2, width]."""
        x = gelu(self._convolve("encoder.conv1", mel, 1))
        x = gelu(self._convolve("encoder.conv2", x, 2)).T
        x = x + self._weights["encoder.embed_positions.weight"][: len(x)]
        for number in range(self._layers):
            name = f"encoder.layers.{number}"
            normed = self._norm(f"{name}.self_attn_layer_norm", x)
            x = x + self._attend(f"{name}.self_attn", normed, normed, causal=False)
            x = x + self._feed(name, x)
        return self._norm("encoder.layer_norm", x)

    def log_probs(self, hidden: Floats, tokens: list[int]) -> Floats:
        """Of every next token [len(tokens), vocabulary]."""
        x = self._weights["decoder.embed_tokens.weight"][tokens]
        x = x + self._weights["decoder.embed_positions.weight"][: len(tokens)]
        for number in range(self._layers):
            name = f"decoder.layers.{number}"
            normed = self._norm(f"{name}.self_attn_layer_norm", x)
            x = x + self._attend(f"{name}.self_attn", normed, normed, causal=True)
            normed = self._norm(f"{name}.encoder_attn_layer_norm", x)
            x = x + self._attend(f"{name}.encoder_attn", normed, hidden, causal=False)
            x = x + self._feed(name, x)
        logits = self._norm("decoder.layer_norm", x) @ self._weights["proj_out.weight"].T
        logits = logits - logits.max(1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(1, keepdims=True))

    def _convolve(self, name: str, x: Floats, stride: int) -> Floats:
        kernel = self._weights[f"{name}.weight"]  # [out, in, 3]
        padded = np.pad(x, ((0, 0), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=1)[:, ::stride]
        return np.einsum("oik,itk->ot", kernel, windows) + self._weights[f"{name}.bias"][:, None]

    def _linear(self, name: str, x: Floats) -> Floats:
        return x @ self._weights[f"{name}.weight"].T + self._weights.get(f"{name}.bias", 0.0)

    def _norm(self, name: str, x: Floats) -> Floats:
        centred = x - x.mean(1, keepdims=True)
        scaled = centred / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        return scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _feed(self, name: str, x: Floats) -> Floats:
        normed = self._norm(f"{name}.final_layer_norm", x)
        return self._linear(f"{name}.fc2", gelu(self._linear(f"{name}.fc1", normed)))

    def _attend(self, name: str, x: Floats, source: Floats, *, causal: bool) -> Floats:
        def split(part: str, states: Floats) -> Floats:
            found = self._linear(f"{name}.{part}_proj", states)
            return found.reshape(len(states), self._heads, -1).transpose(1, 0, 2)

        queries, keys, values = split("q", x), split("k", source), split("v", source)
        scores = queries @ keys.transpose(0, 2, 1) / np.sqrt(queries.shape[-1])
        if causal:
            scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        look = np.exp(scores - scores.max(2, keepdims=True))
        mixed = look / look.sum(2, keepdims=True) @ values
        return self._linear(f"{name}.out_proj", mixed.transpose(1, 0, 2).reshape(len(x), -1))


def gelu(x: Floats) -> Floats:
    """The exact one (Hendrycks and Gimpel 2016)."""
    return x * 0.5 * (1 + _erf(x / math.sqrt(2)))
