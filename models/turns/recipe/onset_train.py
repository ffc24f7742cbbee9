"""Trains the onset judge and chooses when it stops a prompt.

    python -m models.turns.recipe.onset_train --data DIR --out models/turns

Every hop of every sound is a question: have words begun? The first 400 ms count most, since that is
when a prompt is to stop. The thresholds are the lowest that hold on the part `dev`: so few hums and
noises may pass them as FALSE_HUMS and FALSE_NOISES say.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from appliance.audio import onset

DENSE, UNITS = 32, 40
EPOCHS = 40
BATCH = 192
FALSE_HUMS, FALSE_NOISES = 0.003, 0.003
LATE_MS = 640
"""An acknowledgement is over by then, so what goes on counts with less proof."""
_EARLY_HOPS, _LATER_WEIGHT = 40, 0.25
_CLASS_WEIGHT = {"hum": 1.5, "noise": 1.0, "words": 1.0, "after": 1.0}
_HOP_MS = 10


@dataclass(frozen=True)
class Lessons:
    """Sounds as `onset_data` wrote them; `rows` [hops, FEATURES], `starts` [sounds + 1]."""

    rows: np.ndarray
    spoken: np.ndarray
    starts: np.ndarray
    late: np.ndarray
    kind: np.ndarray
    source: np.ndarray

    @classmethod
    def read(cls, path: Path) -> Lessons:
        """One part."""
        kept = np.load(path)
        return cls(**{name: kept[name] for name in cls.__dataclass_fields__})

    def __len__(self) -> int:
        return len(self.starts) - 1

    def batch(self, picked: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Padded rows [b, t, FEATURES], spoken [b, t] and weights [b, t]."""
        spans = [(int(self.starts[i]), int(self.starts[i + 1])) for i in picked]
        longest = max(end - begin for begin, end in spans)
        rows = np.zeros((len(picked), longest, onset.FEATURES), np.float32)
        spoken = np.zeros((len(picked), longest), np.float32)
        weights = np.zeros((len(picked), longest), np.float32)
        for place, (begin, end) in enumerate(spans):
            size = end - begin
            rows[place, :size] = self.rows[begin:end]
            spoken[place, :size] = self.spoken[begin:end]
            weights[place, :size] = _CLASS_WEIGHT[str(self.kind[picked[place]])]
            first = int(np.argmax(spoken[place, :size])) if spoken[place].any() else size
            weights[place, first + _EARLY_HOPS : size] *= _LATER_WEIGHT
        return torch.from_numpy(rows), torch.from_numpy(spoken), torch.from_numpy(weights)


class Network(torch.nn.Module):
    """See `appliance.audio.onset.Weights`."""

    def __init__(self, mean: np.ndarray, scale: np.ndarray) -> None:
        super().__init__()
        self.mean = torch.nn.Parameter(torch.from_numpy(mean), requires_grad=False)
        self.scale = torch.nn.Parameter(torch.from_numpy(scale), requires_grad=False)
        self.dense = torch.nn.Linear(onset.FEATURES, DENSE)
        self.gru = torch.nn.GRU(DENSE, UNITS, batch_first=True)
        self.out = torch.nn.Linear(UNITS, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Logits [b, t] of rows [b, t, FEATURES]."""
        scaled = (rows - self.mean) * self.scale
        hidden, _ = self.gru(torch.relu(self.dense(scaled)))
        return self.out(hidden)[..., 0]

    def weights(self) -> dict[str, np.ndarray]:
        """As `onset.npz` keeps them."""
        kept = {
            "mean": self.mean, "scale": self.scale,
            "dense": self.dense.weight, "dense_bias": self.dense.bias,
            "from_input": self.gru.weight_ih_l0, "input_bias": self.gru.bias_ih_l0,
            "from_state": self.gru.weight_hh_l0, "state_bias": self.gru.bias_hh_l0,
            "out": self.out.weight[0], "out_bias": self.out.bias,
        }  # fmt: skip
        return {name: each.detach().numpy().astype(np.float32) for name, each in kept.items()}


def train(lessons: Lessons, dev: Lessons, epochs: int, seed: int = 1) -> Network:
    """Fits a network; prints the loss on both parts."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    sample = lessons.rows[:: max(1, len(lessons.rows) // 200_000)].astype(np.float32)
    network = Network(sample.mean(axis=0), 1 / (sample.std(axis=0) + 1e-3))
    learned = [each for each in network.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=4e-3, weight_decay=1e-3)
    steps = epochs * (len(lessons) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps + 1)
    for epoch in range(epochs):
        started, losses = time.time(), []
        order = rng.permutation(len(lessons))
        for at in range(0, len(order) - BATCH + 1, BATCH):
            rows, spoken, weights = lessons.batch(order[at : at + BATCH])
            rows = _disturbed(rows)
            loss = _loss(network(rows), spoken, weights)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss))
        if epoch % 5 == 4 or epoch == epochs - 1:
            with torch.no_grad():
                rows, spoken, weights = dev.batch(np.arange(len(dev)))
                held = float(_loss(network(rows), spoken, weights))
            spent = time.time() - started
            print(
                f"epoch {epoch + 1}: {np.mean(losses):.4f} dev {held:.4f} {spent:.0f} s", flush=True
            )
    return network


def scores(network: Network, lessons: Lessons) -> list[np.ndarray]:
    """P(speech) for the hops of each sound."""
    found: list[np.ndarray] = []
    with torch.no_grad():
        for at in range(0, len(lessons), 500):
            picked = np.arange(at, min(at + 500, len(lessons)))
            judged = torch.sigmoid(network(lessons.batch(picked)[0])).numpy()
            for place, index in enumerate(picked):
                size = int(lessons.starts[index + 1] - lessons.starts[index])
                found.append(judged[place, :size])
    return found


def delays_ms(
    lessons: Lessons, judged: list[np.ndarray], stop_at: float, late_at: float
) -> np.ndarray:
    """For each sound with words: from their beginning to the frame that stops; inf: never."""
    found = []
    for index, each in enumerate(judged):
        spoken = lessons.spoken[lessons.starts[index] : lessons.starts[index + 1]]
        if not spoken.any():
            continue
        first = int(np.argmax(spoken))
        begun = first - (int(lessons.late[index]) if first == 0 else 0)
        passed = _passed(each, stop_at, late_at)
        passed[:first] = False  # before the words it is a false stop, counted elsewhere
        if not passed.any():
            found.append(np.inf)
            continue
        frame_end = (int(np.argmax(passed)) // 2 + 1) * 2
        found.append((frame_end - begun) * _HOP_MS)
    return np.array(found)


def false_stops(
    lessons: Lessons, judged: list[np.ndarray], kind: str, stop_at: float, late_at: float
) -> float:
    """Share of the sounds of a kind that stop a prompt."""
    stops = [
        _passed(each, stop_at, late_at).any()
        for each, of in zip(judged, lessons.kind, strict=True)
        if of == kind
    ]
    return float(np.mean(stops)) if stops else 0.0


def choose(dev: Lessons, judged: list[np.ndarray]) -> tuple[float, float]:
    """The lowest thresholds that keep the false stops of hums and noises below their limits."""
    kinds = {"hum": FALSE_HUMS, "noise": FALSE_NOISES}
    late = LATE_MS // _HOP_MS + 2
    early_at, late_at = 0.5, 0.5
    for kind, limit in kinds.items():
        own = [each for each, of in zip(judged, dev.kind, strict=True) if of == kind]
        early = np.sort([each[:late].max() for each in own])
        early_at = max(early_at, float(early[int((1 - limit) * (len(early) - 1))]))
        after = np.sort([each[late:].max() for each in own if len(each) > late])
        if len(after):
            late_at = max(late_at, float(after[int((1 - limit) * (len(after) - 1))]))
    return early_at, min(late_at, early_at)


def _passed(judged: np.ndarray, stop_at: float, late_at: float) -> np.ndarray:
    limits = np.full(len(judged), stop_at)
    limits[LATE_MS // _HOP_MS + 2 :] = late_at
    return judged >= limits


def _disturbed(rows: torch.Tensor) -> torch.Tensor:
    """The same sounds with another tilt of the line and a little noise in the features."""
    tilt = torch.randn(len(rows), 1, 1) * torch.linspace(-2.5, 2.5, onset.BANDS)
    rows = rows.clone()
    rows[..., : onset.BANDS] += tilt + 0.7 * torch.randn(rows.shape[0], rows.shape[1], onset.BANDS)
    return rows


def _loss(logits: torch.Tensor, spoken: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, spoken, reduction="none")
    return (each * weights).sum() / weights.sum()


def report(
    name: str, lessons: Lessons, judged: list[np.ndarray], thresholds: tuple[float, float]
) -> None:
    """Prints the curve of a part, and the chosen point."""
    print(
        f"{name}: stop at | false stops by hums, noises | "
        "words: within 60, 80, 100, 200 ms, median, p95"
    )
    for early in (0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, thresholds[0]):
        point = (early, min(early, thresholds[1]))
        hums, noises = (false_stops(lessons, judged, kind, *point) for kind in ("hum", "noise"))
        found = delays_ms(lessons, judged, *point)
        within = " ".join(f"{(found <= limit).mean():.3f}" for limit in (60, 80, 100, 200))
        p50, p95 = np.percentile(found, [50, 95], method="lower")
        print(f"  {early:.3f} | {hums:.4f} {noises:.4f} | {within} {p50:.0f} {p95:.0f}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of onset_data")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    parts = {
        name: Lessons.read(args.data / f"onset-{name}.npz") for name in ("train", "dev", "test")
    }
    network = train(parts["train"], parts["dev"], args.epochs)
    judged = {name: scores(network, parts[name]) for name in ("dev", "test")}
    thresholds = choose(parts["dev"], judged["dev"])
    for name, each in judged.items():
        report(name, parts[name], each, thresholds)
    kept = network.weights() | {"thresholds": np.array([*thresholds, LATE_MS], np.float32)}
    args.out.mkdir(parents=True, exist_ok=True)
    np.savez(args.out / "onset.npz", **kept)
    print(f"thresholds {thresholds}, {(args.out / 'onset.npz').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
