"""Muon: momentum whose update of each weight matrix is made orthogonal (K. Jordan et al. 2024).

With an hour or two on one core, what counts is how much is learned from each hour of speech. The
five Newton-Schulz steps run in bfloat16 on stacks of equally shaped matrices. Used for the matrices
of the attention and feed-forward layers; everything else stays with AdamW.
"""

from __future__ import annotations

from collections import defaultdict

import torch
from torch import Tensor

_A, _B, _C = 3.4445, -4.7750, 2.0315  # Coefficients of the quintic iteration in that paper.


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum and decoupled weight decay, for 2-D parameters only.

    Args:
        parameters: matrices.
        lr: step in units of the RMS of an AdamW step (updates are scaled to match it).
        momentum: of the gradient average.
        weight_decay: decoupled, as in AdamW.
    """

    def __init__(
        self,
        parameters: list[Tensor],
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.05,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: object = None) -> None:  # type: ignore[override]  # noqa: ARG002
        """Applies one update to every matrix that has a gradient."""
        for group in self.param_groups:
            shapes: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is not None:
                    shapes[parameter.shape].append(parameter)
            for shape, parameters in shapes.items():
                self._update(parameters, shape, group)

    def _update(self, parameters: list[Tensor], shape: torch.Size, group: dict[str, float]) -> None:
        moved = []
        for parameter in parameters:
            state = self.state[parameter]
            if "average" not in state:
                state["average"] = torch.zeros_like(parameter)
            state["average"].lerp_(parameter.grad, 1 - group["momentum"])
            moved.append(parameter.grad.lerp(state["average"], group["momentum"]))
        updates = orthogonalize(torch.stack(moved))
        # 0.2 sqrt(longest side) gives the update the RMS of an AdamW step (Liu et al. 2025).
        scale = 0.2 * max(shape) ** 0.5 * group["lr"]
        for parameter, update in zip(parameters, updates, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.add_(update.to(parameter.dtype), alpha=-scale)


def orthogonalize(matrices: Tensor, steps: int = 5) -> Tensor:
    """Nearest (semi-)orthogonal matrices of a stack [N, rows, columns], roughly, in bfloat16."""
    wide = matrices.transpose(1, 2) if matrices.shape[1] > matrices.shape[2] else matrices
    x = (wide / (wide.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16()
    for _ in range(steps):
        # x = A x + (B s + C s s) x with s = x x^T; the fused form takes half the time.
        square = torch.bmm(x, x.transpose(1, 2))
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=_B, alpha=_C), x, beta=_A)
    return x.transpose(1, 2) if matrices.shape[1] > matrices.shape[2] else x
