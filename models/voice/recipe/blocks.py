"""The one building block of all networks here: ConvNeXt in one dimension."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ConvNext(nn.Module):
    """Depthwise convolution, layer norm, two linear layers, scaled residual (Liu et al. 2022).

    Args:
        width: channels.
        kernel: odd length of the depthwise convolution.
        widening: width of the hidden layer over `width`.
        dilation: of the convolution.
    """

    def __init__(self, width: int, kernel: int = 7, widening: int = 2, dilation: int = 1) -> None:
        super().__init__()
        reach = kernel // 2 * dilation
        self.mix = nn.Conv1d(width, width, kernel, padding=reach, groups=width, dilation=dilation)
        self.norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, width * widening)
        self.narrow = nn.Linear(width * widening, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x [B, T, width] → the same shape; `mask` [B, T, 1] keeps padding out of the kernel."""
        inner = x if mask is None else x * mask
        inner = self.mix(inner.transpose(1, 2)).transpose(1, 2)
        inner = F.gelu(self.widen(self.norm(inner)), approximate="tanh")
        return x + self.scale * self.narrow(inner)
