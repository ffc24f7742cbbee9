"""Trains the judge of ends on the pauses that `end_pauses` found: a minute on one core.

    python -m models.turns.recipe.end_train --pauses FILE.npz --out models/turns

Both classes count the same in all, so the output is the probability where going on is as likely as
not; each corpus counts by the root of its size. Writes `end.npz` (float16) and `figures.json`
(held-out speakers only), from which `report` fills the card.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from appliance.audio import ending

WIDTHS, KERNELS, DENSE = (24, 32, 32), (5, 5, 3), 24
EPOCHS, BATCH, RATE = 10, 128, 2e-3
REAL_MS, REAL_WEIGHT = 160, 3.0  # shorter pauses are often a weak consonant
_LONG_MS = 200
_CURVE = (100, 150, 200, 300, 400, 500, 600, 800, 1000, 1200)


class Judge(nn.Module):
    """The network of `appliance.audio.ending`, with its names."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c = WIDTHS
        self.c1 = nn.Conv1d(ending.FEATURES, a, KERNELS[0], stride=2)
        self.c2 = nn.Conv1d(a, b, KERNELS[1], stride=2)
        self.c3 = nn.Conv1d(b, c, KERNELS[2], stride=2)
        with torch.no_grad():
            size = self._flat(torch.zeros(1, ending.FEATURES, ending.STEPS)).shape[1]
        self.d1, self.d2 = nn.Linear(size, DENSE), nn.Linear(DENSE, 1)
        self.drop = nn.Dropout(0.3)

    def _flat(self, given: torch.Tensor) -> torch.Tensor:
        for layer in (self.c1, self.c2, self.c3):
            given = torch.relu(layer(given))
        return given.flatten(1)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Features [n, FEATURES, STEPS] -> logits [n]."""
        hidden = torch.relu(self.d1(self.drop(self._flat(given))))
        return self.d2(self.drop(hidden))[:, 0]


def weights_of(corpus: np.ndarray, gap_ms: np.ndarray) -> np.ndarray:
    """What each pause counts: classes alike, corpora by the root of their size, long ones more."""
    goes_on = gap_ms > 0
    weight = np.zeros(len(corpus), np.float32)
    for flag in (False, True):
        for name in np.unique(corpus):
            chosen = (corpus == name) & (goes_on == flag)
            if chosen.any():
                weight[chosen] = 1 / np.sqrt(chosen.sum())
        weight[gap_ms > REAL_MS] *= REAL_WEIGHT if flag else 1
        weight[goes_on == flag] /= weight[goes_on == flag].sum()
    return weight * len(weight) / 2


def vary(given: torch.Tensor) -> torch.Tensor:
    """Masks a band or some steps, and shifts the voice's level: little data must go far."""
    given = given.clone()
    size, rows, steps = given.shape
    for index in range(size):
        band, step = int(torch.randint(rows - 3, ())), int(torch.randint(steps - 8, ()))
        given[index, band : band + 2] = given[index, band : band + 2].mean()
        given[index, :, step : step + int(torch.randint(8, ()))] = 0
    given[:, : ending.BANDS + 1] += 0.15 * torch.randn(size, 1, 1)
    return given


def train(given: torch.Tensor, goes_on: torch.Tensor, weight: torch.Tensor) -> Judge:
    """Fits the network; deterministic."""
    torch.manual_seed(4)
    judge = Judge()
    optimizer = torch.optim.AdamW(judge.parameters(), lr=RATE, weight_decay=0.02)
    steps = EPOCHS * (len(given) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1)
    for epoch in range(EPOCHS):
        judge.train()
        order, losses = torch.randperm(len(given)), []
        for at in range(0, len(given) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            logits = judge(vary(given[chosen]))
            loss = nn.functional.binary_cross_entropy_with_logits(
                logits, goes_on[chosen], weight[chosen]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch}: {np.mean(losses):.3f}", flush=True)
    return judge.eval()


def auc(score: np.ndarray, flag: np.ndarray) -> float | None:
    """Area under the curve: how often a pause that goes on scores above one that does not.

    None where there are not both.
    """
    if flag.all() or not flag.any():
        return None
    order = np.argsort(np.argsort(score))
    high = order[flag].sum() - flag.sum() * (flag.sum() - 1) / 2
    return round(float(high / (flag.sum() * (~flag).sum())), 3)


def figures(score: np.ndarray, stored: dict[str, np.ndarray]) -> dict[str, object]:
    """What the card says, on pauses of held-out speakers."""
    goes_on, gap = stored["gap_ms"] > 0, stored["gap_ms"]
    per_corpus = {}
    for name in np.unique(stored["corpus"]):
        chosen = stored["corpus"] == name
        per_corpus[str(name)] = {
            "inside": int(goes_on[chosen].sum()),
            "ends": int((~goes_on[chosen]).sum()),
            "auc": auc(score[chosen], goes_on[chosen]),
        }
    noisy, long = stored["snr_db"] < 25, (gap > _LONG_MS) | ~goes_on
    thresholds = {}
    for share in (0.02, 0.05, 0.1, 0.2):
        at = np.quantile(score[goes_on], share)
        thresholds[str(share)] = round(float((score[~goes_on] < at).mean()), 3)
    return {
        "judge": "end",
        "inside": int(goes_on.sum()),
        "ends": int((~goes_on).sum()),
        "auc": auc(score, goes_on),
        "auc_pauses_over_200_ms": auc(score[long], goes_on[long]),
        "auc_noisy": auc(score[noisy], goes_on[noisy]),
        "auc_quiet": round(auc(score[~noisy], goes_on[~noisy]), 3),
        "ends_told_at_false_share": thresholds,
        "corpora": per_corpus,
        "pauses_inside_longer_than_ms": {
            str(ms): round(float((gap[goes_on] > ms).mean()), 3) for ms in _CURVE
        },
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pauses", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with np.load(args.pauses) as file:
        stored = {name: file[name] for name in file.files}
    held_out, goes_on = stored["held_out"], stored["gap_ms"] > 0
    given = torch.from_numpy(stored["features"].astype(np.float32))
    weight = torch.from_numpy(weights_of(stored["corpus"][~held_out], stored["gap_ms"][~held_out]))
    known = torch.from_numpy(~held_out)
    judge = train(given[known], torch.from_numpy(goes_on[~held_out]).float(), weight)
    names = {name: value.numpy() for name, value in judge.state_dict().items()}
    names = {name: value.astype(np.float16) for name, value in names.items()}
    np.savez(args.out / ending.FILE, **names)
    judge.load_state_dict({name: torch.from_numpy(v).float() for name, v in names.items()})
    with torch.no_grad():
        score = torch.sigmoid(judge(given[~known])).numpy()
    judged = {name: value[held_out] for name, value in stored.items() if name != "features"}
    made = figures(score, judged)
    (args.out / "figures.end.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
