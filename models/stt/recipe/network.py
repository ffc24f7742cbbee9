"""The Whisper network in plain torch, with Hugging Face's parameter names, for small sizes.

Own code because the stock implementation takes only 30 s windows: here the encoder takes a batch
of any lengths with a mask. A linear phone head on the encoder's output carries the CTC loss.
"""

from __future__ import annotations

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

MAX_SOURCE = 1500  # As in Whisper, so that stock loaders take the folder.
MAX_TARGET = 448
MELS = 80


@dataclasses.dataclass(frozen=True)
class Size:
    """Width, layers and heads of the network, and its two vocabularies."""

    width: int
    encoder_layers: int
    decoder_layers: int
    heads: int
    tokens: int
    phones: int  # Including the blank, which is 0.


class Attention(nn.Module):
    """Multi-head attention with Whisper's biases (none on the keys)."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.k_proj = nn.Linear(size.width, size.width, bias=False)
        self.v_proj = nn.Linear(size.width, size.width)
        self.q_proj = nn.Linear(size.width, size.width)
        self.out_proj = nn.Linear(size.width, size.width)

    def forward(
        self, query: Tensor, source: Tensor, mask: Tensor | None, causal: bool
    ) -> tuple[Tensor, Tensor]:
        """[B, T, D] attending to [B, S, D]; ``mask`` [B, 1, 1, S] is True where allowed.

        Returns the mixed values [B, T, D] and where it looked [B, heads, T, S].
        """

        def split(x: Tensor) -> Tensor:
            return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

        # Written out: the fused CPU kernel's backward pass takes three times as long at 3 s.
        keys, values = split(self.k_proj(source)), split(self.v_proj(source))
        scores = split(self.q_proj(query) * keys.shape[-1] ** -0.5) @ keys.transpose(2, 3)
        if causal:
            ahead = torch.ones(scores.shape[2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(ahead, -1e4)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e4)
        look = scores.softmax(-1).to(values.dtype)
        mixed = look @ values
        return self.out_proj(mixed.transpose(1, 2).flatten(2)), look


class Layer(nn.Module):
    """One pre-norm transformer layer, with cross attention in the decoder."""

    def __init__(self, size: Size, cross: bool) -> None:
        super().__init__()
        self.self_attn = Attention(size)
        self.self_attn_layer_norm = nn.LayerNorm(size.width)
        if cross:
            self.encoder_attn = Attention(size)
            self.encoder_attn_layer_norm = nn.LayerNorm(size.width)
        self.fc1 = nn.Linear(size.width, 4 * size.width)
        self.fc2 = nn.Linear(4 * size.width, size.width)
        self.final_layer_norm = nn.LayerNorm(size.width)
        self.cross = cross

    def forward(
        self, x: Tensor, mask: Tensor | None, source: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Encoder: ``mask`` is for the self attention. Decoder: for the attention to ``source``.

        Returns the new states and where the layer looked (in ``source``, if it has one).
        """
        normed = self.self_attn_layer_norm(x)
        own_mask = None if self.cross else mask
        mixed, look = self.self_attn(normed, normed, own_mask, causal=self.cross)
        x = x + mixed
        if source is not None:
            normed = self.encoder_attn_layer_norm(x)
            mixed, look = self.encoder_attn(normed, source, mask, causal=False)
            x = x + mixed
        return x + self.fc2(F.gelu(self.fc1(self.final_layer_norm(x)))), look


class Encoder(nn.Module):
    """Log-mel frames to hidden states at half the frame rate."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, size.width, 3, padding=1)
        self.conv2 = nn.Conv1d(size.width, size.width, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(MAX_SOURCE, size.width)
        self.embed_positions.weight = nn.Parameter(
            0.3 * sinusoids(MAX_SOURCE, size.width), requires_grad=False
        )
        self.layers = nn.ModuleList(Layer(size, False) for _ in range(size.encoder_layers))
        self.layer_norm = nn.LayerNorm(size.width)
        with torch.no_grad():  # Larger inputs beside smaller positions leave the plateau sooner.
            self.conv1.weight.mul_(4)
            self.conv2.weight.mul_(4)

    def forward(self, frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """[B, 80, T] of even ``lengths`` [B] to hidden [B, T/2, D], its lengths and its mask."""
        x = F.gelu(self.conv2(F.gelu(self.conv1(frames)))).transpose(1, 2)
        halves = lengths // 2
        mask = None
        if int(halves.min()) < x.shape[1]:
            mask = (torch.arange(x.shape[1])[None] < halves[:, None])[:, None, None, :]
        x = x + self.embed_positions.weight[: x.shape[1]]
        for layer in self.layers:
            x, _ = layer(x, mask)
        return self.layer_norm(x), halves, mask


class Decoder(nn.Module):
    """Tokens so far to logits of the next token; the output matrix is the embedding table."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(size.tokens, size.width)
        self.embed_positions = nn.Embedding(MAX_TARGET, size.width)
        nn.init.normal_(self.embed_tokens.weight, std=0.02)
        nn.init.normal_(self.embed_positions.weight, std=0.01)
        self.layers = nn.ModuleList(Layer(size, True) for _ in range(size.decoder_layers))
        self.layer_norm = nn.LayerNorm(size.width)

    def forward(
        self, tokens: Tensor, source: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, list[Tensor]]:
        """[B, L] tokens to [B, L, tokens] logits and each layer's look at ``source``."""
        x = self.embed_tokens(tokens) + self.embed_positions.weight[: tokens.shape[1]]
        looks = []
        for layer in self.layers:
            x, look = layer(x, mask, source)
            looks.append(look)
        return self.layer_norm(x) @ self.embed_tokens.weight.T, looks


class Recognizer(nn.Module):
    """Encoder, decoder and the phone head."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.encoder = Encoder(size)
        self.decoder = Decoder(size)
        self.ctc = nn.Linear(size.width, size.phones)


def sinusoids(length: int, channels: int) -> Tensor:
    """Whisper's sinusoidal position table [length, channels]."""
    step = math.log(10000) / (channels // 2 - 1)
    inverse = torch.exp(-step * torch.arange(channels // 2))
    scaled = torch.arange(length)[:, None] * inverse[None]
    return torch.cat([scaled.sin(), scaled.cos()], dim=1)
