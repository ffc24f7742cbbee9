"""What every training run here needs: a budget of minutes, averaged weights, resuming.

A run is bounded by wall-clock minutes, because on a shared CPU that is what one has; the learning
rate follows the share of the budget that is used. A checkpoint holds all state, so a killed run
goes on where it was.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

CHECKPOINT_SECONDS = 90.0


class Run:
    """One training run of `model`.

    Args:
        model: trained by `optimizer`; its averaged copy is `averaged`.
        optimizer: of the model's parameters.
        minutes: wall-clock budget, resumed runs included.
        checkpoint: file that is written about every 90 s and read when it exists.
    """

    def __init__(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, minutes: float, checkpoint: Path
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.averaged = copy.deepcopy(model)
        self.budget_s = minutes * 60
        self.checkpoint = checkpoint
        self.step = 0
        self.used_s = 0.0
        self.extra: dict[str, Any] = {}
        """Further objects with `state_dict()` that belong into the checkpoint."""
        self._sums: Tensor | None = None
        self._summed = 0

    @property
    def progress(self) -> float:
        """Share of the budget that is used, 0 to 1."""
        return min(1.0, self.used_s / self.budget_s)

    def resume(self) -> None:
        """Load the checkpoint, if there is one."""
        if not self.checkpoint.exists():
            return
        state = torch.load(self.checkpoint, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.averaged.load_state_dict(state["averaged"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, part in self.extra.items():
            part.load_state_dict(state["extra"][name])
        self.step, self.used_s = state["step"], state["used_s"]
        print(f"resumed at step {self.step}, {self.used_s:.0f} s", flush=True)

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        state = {
            "model": self.model.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "extra": {name: part.state_dict() for name, part in self.extra.items()},
            "step": self.step,
            "used_s": self.used_s,
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(state, partial)
        partial.replace(self.checkpoint)

    def steps(self) -> Iterator[int]:
        """Count steps until the budget is used; saves on the way and at the end."""
        last = saved = time.monotonic()
        while self.used_s < self.budget_s:
            yield self.step
            self.step += 1
            now = time.monotonic()
            self.used_s, last = self.used_s + now - last, now
            if now - saved > CHECKPOINT_SECONDS:
                self.save()
                saved = now
        self.save()

    def set_rate(self, peak: float, warm_steps: int = 150) -> None:
        """Learning rate: rises, holds for a quarter of the budget, falls as a cosine."""
        falling = max(0.0, (self.progress - 0.25) / 0.75)
        rate = peak * min(1.0, (self.step + 1) / warm_steps)
        rate *= 0.5 * (1 + math.cos(math.pi * falling))
        for group in self.optimizer.param_groups:
            group["lr"] = rate + 1e-5

    def update(self, loss: Tensor, clip: float = 1.0) -> None:
        """One step of gradient descent, and of the average."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), clip)
        self.optimizer.step()
        keep = min(0.998, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            pairs = zip(self.averaged.parameters(), self.model.parameters(), strict=True)
            for average, current in pairs:
                average.mul_(keep).add_(current, alpha=1 - keep)

    def report(self, names: str, parts: Tensor, every: int = 100) -> None:
        """Print the mean of the loss parts [n] every so many steps."""
        self._sums = parts if self._sums is None else self._sums + parts
        self._summed += 1
        if self.step % every == 0:
            mean = " ".join(f"{value:.3f}" for value in (self._sums / self._summed).tolist())
            print(f"step {self.step} {self.used_s:.0f} s {names} {mean}", flush=True)
            self._sums, self._summed = None, 0
