"""Acoustic model: tokens to durations, and through them to mel, pitch and voicing.

    tokens ─▶ encoder ─┬─▶ predictors: log-duration, pitch, energy of each token
                       └─▶ + pitch, energy ─▶ repeat by duration ─▶ decoder ─▶ mel, log-F0, voicing

All of it is feed-forward, so a sentence costs one pass. Pitch and energy go through the tokens so
that an export can change them (a question's rise) and the decoder still makes fitting mels.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.voice.recipe.blocks import ConvNext
from models.voice.recipe.settings import MEL_BANDS
from models.voice.recipe.text import Vocabulary

FRAME_FEATURES = 3


def repeat_by_duration(durations: Tensor) -> tuple[Tensor, Tensor]:
    """Durations [N] (int64, frames, at least one positive) → which token each frame belongs to.

    Returns:
        index [T] into the tokens, and features [T, 3] of the place in the token: relative
        position, log of the duration, frames since its start. Written with a cumulative sum and
        comparisons only, because `repeat_interleave` does not export to ONNX opset 17.
    """
    ends = torch.cumsum(durations, 0)
    frame = torch.arange(ends[-1], device=durations.device)
    index = (frame.unsqueeze(1) >= ends.unsqueeze(0)).to(torch.int64).sum(1)
    length = durations[index].float()
    since = (frame - (ends - durations)[index]).float()
    place = [(since + 0.5) / length, torch.log1p(length) * 0.5, since.clamp(max=20) * 0.15]
    return index, torch.stack(place, -1)


class AcousticModel(nn.Module):
    """The network.

    `statistics` holds mean and deviation of the 80 mel bands and of voiced log-F0, [2, 81];
    `energy_scale` mean and deviation of a token's mean log-mel, [2].
    """

    parts: Tensor
    statistics: Tensor
    energy_scale: Tensor

    def __init__(
        self,
        vocabulary: Vocabulary,
        dropout: float = 0.0,
        predictor_dropout: float = 0.0,
        width: int = 192,
        frame_width: int = 224,
    ) -> None:
        super().__init__()
        self.register_buffer("parts", torch.tensor(vocabulary.parts))
        self.phone = nn.Embedding(len(vocabulary.bases), width)
        self.stress = nn.Embedding(3, width)
        nn.init.normal_(self.phone.weight, 0, 0.3)
        nn.init.normal_(self.stress.weight, 0, 0.3)
        self.encoder = nn.ModuleList([ConvNext(width, 7, 3) for _ in range(5)])
        self.encoder_norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.predictor_dropout = nn.Dropout(predictor_dropout)
        self.predictors = nn.ModuleList([ConvNext(width, 5), ConvNext(width, 5)])
        self.predict = nn.Linear(width, 3)
        self.embed_prosody = nn.Conv1d(2, width, 3, padding=1)
        self.enter = nn.Linear(width + FRAME_FEATURES, frame_width)
        self.decoder = nn.ModuleList(
            [ConvNext(frame_width, dilation=(1, 1, 2)[i % 3]) for i in range(6)]
        )
        self.decoder_norm = nn.LayerNorm(frame_width)
        self.leave = nn.Linear(frame_width, MEL_BANDS + 2)
        self.register_buffer("statistics", torch.stack([torch.zeros(81), torch.ones(81)]))
        self.register_buffer("energy_scale", torch.tensor([0.0, 1.0]))

    def encode(self, ids: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Ids [B, N] → hidden [B, N, width] and predictions [B, N, 3].

        Predicted are log(1 + frames), pitch and energy, the last two in standard deviations.
        """
        parts = self.parts[ids]
        x = self.phone(parts[..., 0]) + self.stress(parts[..., 1])
        for block in self.encoder:
            x = block(x, mask)
        x = self.encoder_norm(self.dropout(x))
        y = self.predictor_dropout(x)
        for block in self.predictors:
            y = self.predictor_dropout(block(y, mask))
        return x, self.predict(y)

    def add_prosody(self, hidden: Tensor, prosody: Tensor) -> Tensor:
        """Add the embedding of pitch and energy [B, N, 2] to the hidden [B, N, width]."""
        embedded: Tensor = self.embed_prosody(prosody.transpose(1, 2))
        return hidden + embedded.transpose(1, 2)

    def decode(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Frames [B, T, width + 3] → normalised mel and log-F0, and voicing logit [B, T, 82]."""
        x = self.dropout(self.enter(x))
        for block in self.decoder:
            x = block(x, mask)
        frames: Tensor = self.leave(self.decoder_norm(x))
        return frames

    def denormalise(self, frames: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Decoder output [B, T, 82] → mel [B, T, 80], log-F0 [B, T], voicing 0 or 1 [B, T]."""
        values = frames[..., : MEL_BANDS + 1] * self.statistics[1] + self.statistics[0]
        voiced = (frames[..., MEL_BANDS + 1] > 0).to(frames.dtype)
        return values[..., :MEL_BANDS], values[..., MEL_BANDS], voiced
