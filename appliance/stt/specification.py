"""Whisper's weights under Hugging Face's names, as a CTranslate2 model (int8).

    {"encoder.conv1.weight": …} + Shape + tokens + Rules -> WhisperSpec -> .save(folder)

Needs neither torch nor transformers: the box converts models itself (`stt.conversion`), and the
training recipe writes its own through the same door. The layout is that of `WhisperLoader` in
`ctranslate2.converters.transformers` (4.8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ctranslate2.specs import whisper_spec
from numpy.typing import NDArray

from appliance.errors import ConfigError

Array = NDArray[Any]
Weights = Mapping[str, Array]

_KERNEL = 3  # of both convolutions
_WIDENED = 4  # of the feed-forward layers, where the configuration says nothing else


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the network; `decoder_positions` is the longest text in tokens."""

    width: int
    mels: int
    encoder_layers: int
    encoder_heads: int
    decoder_layers: int
    decoder_heads: int
    tokens: int
    encoder_positions: int = 1500
    decoder_positions: int = 448
    encoder_inner: int | None = None
    decoder_inner: int | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What a decoder must know besides the weights.

    Attributes:
        language_ids: the tokens of the languages.
        suppressed: tokens never to be written.
        suppressed_first: tokens not to be written first.
        alignment_heads: (layer, head) of the decoder that follow the audio; None: all of the upper
            half of the layers.
    """

    language_ids: tuple[int, ...]
    suppressed: tuple[int, ...] = ()
    suppressed_first: tuple[int, ...] = ()
    alignment_heads: tuple[tuple[int, int], ...] | None = None


def build_spec(
    weights: Weights, shape: Shape, tokens: Sequence[str], rules: Rules
) -> whisper_spec.WhisperSpec:
    """Fill a specification and quantize it; `.save(folder)` writes it.

    Args:
        weights: by name, "encoder.…" and "decoder.…"; float32 or float16. `proj_out.weight` is
            taken where it is there; else the embeddings are the output layer too.
        shape: of the network.
        tokens: as many as the embedding table has rows, in order.
        rules: go to config.json.

    Raises:
        ConfigError: a weight is missing, has another shape or is no number.
    """
    spec = whisper_spec.WhisperSpec(
        shape.encoder_layers, shape.encoder_heads, shape.decoder_layers, shape.decoder_heads
    )
    filling = _Filling(weights, shape)
    filling.fill_encoder(spec.encoder)
    filling.fill_decoder(spec.decoder)
    spec.register_vocabulary(list(tokens))
    spec.config.alignment_heads = _alignment_heads(shape, rules)
    spec.config.suppress_ids = list(rules.suppressed)
    spec.config.suppress_ids_begin = list(rules.suppressed_first)
    spec.config.lang_ids = list(rules.language_ids)
    try:
        spec.validate()
        spec.optimize(quantization="int8")
    except ValueError as error:
        raise ConfigError(f"the model cannot be converted: {error}") from error
    return spec


def _alignment_heads(shape: Shape, rules: Rules) -> list[tuple[int, int]]:
    if rules.alignment_heads is not None:
        return list(rules.alignment_heads)
    upper = range(shape.decoder_layers // 2, shape.decoder_layers)
    return [(layer, head) for layer in upper for head in range(shape.decoder_heads)]


class _Filling:
    """Moves weights into a specification and checks each on the way."""

    def __init__(self, weights: Weights, shape: Shape) -> None:
        self._weights = weights
        self._shape = shape

    def fill_encoder(self, encoder: Any) -> None:
        shape = self._shape
        for name, inputs in (("conv1", shape.mels), ("conv2", shape.width)):
            target = getattr(encoder, name)
            target.weight = self._take(f"encoder.{name}.weight", shape.width, inputs, _KERNEL)
            target.bias = self._take(f"encoder.{name}.bias", shape.width)
        self._fill_half(encoder, "encoder", shape.encoder_positions, shape.encoder_inner)

    def fill_decoder(self, decoder: Any) -> None:
        shape = self._shape
        table = self._take("decoder.embed_tokens.weight", shape.tokens, shape.width)
        decoder.embeddings.weight = table
        output = "proj_out.weight"
        own = output in self._weights
        decoder.projection.weight = self._take(output, *table.shape) if own else table
        self._fill_half(decoder, "decoder", shape.decoder_positions, shape.decoder_inner)

    def _fill_half(self, part: Any, half: str, positions: int, inner: int | None) -> None:
        name = f"{half}.embed_positions.weight"
        part.position_encodings.encodings = self._take(
            name, positions, self._shape.width, full=True
        )
        self._fill_norm(part.layer_norm, f"{half}.layer_norm")
        for number, layer in enumerate(part.layer):
            self._fill_layer(layer, f"{half}.layers.{number}", inner)

    def _fill_layer(self, layer: Any, name: str, inner: int | None) -> None:
        width = self._shape.width
        wide = inner or _WIDENED * width
        own = f"{name}.self_attn"
        queries_keys_values = (f"{own}.q_proj", f"{own}.k_proj", f"{own}.v_proj")
        self._fill_linear(layer.self_attention.linear[0], width, *queries_keys_values)
        self._fill_linear(layer.self_attention.linear[1], width, f"{own}.out_proj")
        self._fill_norm(layer.self_attention.layer_norm, f"{name}.self_attn_layer_norm")
        if name.startswith("decoder."):
            other = f"{name}.encoder_attn"
            across = layer.attention
            self._fill_linear(across.linear[0], width, f"{other}.q_proj")
            self._fill_linear(across.linear[1], width, f"{other}.k_proj", f"{other}.v_proj")
            self._fill_linear(across.linear[2], width, f"{other}.out_proj")
            self._fill_norm(across.layer_norm, f"{name}.encoder_attn_layer_norm")
        self._fill_linear(layer.ffn.linear_0, width, f"{name}.fc1", rows=wide)
        self._fill_linear(layer.ffn.linear_1, wide, f"{name}.fc2")
        self._fill_norm(layer.ffn.layer_norm, f"{name}.final_layer_norm")

    def _fill_norm(self, target: Any, name: str) -> None:
        target.gamma = self._take(f"{name}.weight", self._shape.width)
        target.beta = self._take(f"{name}.bias", self._shape.width)

    def _fill_linear(self, target: Any, columns: int, *names: str, rows: int | None = None) -> None:
        """One linear layer, or several stacked; a missing bias (Whisper's keys have none) is 0."""
        rows = rows or self._shape.width
        target.weight = np.concatenate(
            [self._take(f"{name}.weight", rows, columns) for name in names]
        )
        target.bias = np.concatenate([self._bias(f"{name}.bias", rows) for name in names])

    def _bias(self, name: str, rows: int) -> Array:
        if name.endswith("k_proj.bias") and name not in self._weights:
            return np.zeros(rows, np.float32)
        return self._take(name, rows)

    def _take(self, name: str, *shape: int, full: bool = False) -> Array:
        """One weight; vectors (and where `full`) as float32, for only matrices are quantized.

        Raises:
            ConfigError: it is missing, has another shape or is no number.
        """
        try:
            found = self._weights[name]
        except KeyError:
            raise ConfigError(f"the weight {name} is missing") from None
        if found.shape != shape:
            raise ConfigError(f"the weight {name} has the shape {found.shape} instead of {shape}")
        if not np.isfinite(found).all():
            raise ConfigError(f"the weight {name} holds values that are no numbers")
        return found.astype(np.float32) if full or found.ndim == 1 else found
