"""Trains the onset judge and chooses when it stops a prompt.

    python -m models.turns.recipe.onset_train --data DIR --out models/turns

Every hop of every sound is a question: have words begun? The first 400 ms count most, since that is
when a prompt is to stop. The limits are the lowest that so few hums and noises pass as BUDGET says.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from appliance.audio import onset

DENSE, UNITS = 40, 64
EPOCHS = 20
BATCH = 384
_HOPS = 80
"""Hops of each sound that are learned from: what comes later is decided by then."""
BUDGET = 0.006
"""This share of the hums, and of the noises, may stop a prompt."""
UNTIL_MS = (60, 160, 300, 460, 640)
SHARES = (0.2, 0.25, 0.2, 0.15, 0.1, 0.1)
"""Stretches of a sound, and what each may take of the budget."""
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
    def read(cls, folders: list[Path], part: str) -> Lessons:
        """A part, of all the folders that have it."""
        paths = [folder / f"onset-{part}.npz" for folder in folders]
        kept = [dict(np.load(path)) for path in paths if path.exists()]
        begins = np.cumsum([0, *(each["starts"][-1] for each in kept)])
        starts = [each["starts"][:-1] + begin for each, begin in zip(kept, begins, strict=False)]
        joined = {
            name: np.concatenate([each[name] for each in kept])
            for name in ("rows", "spoken", "late", "kind", "source")
        }
        return cls(starts=np.concatenate([*starts, begins[-1:]]), **joined)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def batch(
        self, picked: np.ndarray, most: int = 1000
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Padded rows [b, t, FEATURES], spoken [b, t] and weights [b, t]; t is `most` at most."""
        spans = [
            (int(self.starts[i]), min(int(self.starts[i + 1]), int(self.starts[i]) + most))
            for i in picked
        ]
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

    def weights_by_name(self) -> dict[str, torch.Tensor]:
        """As `onset.npz` calls them."""
        return {
            "mean": self.mean, "scale": self.scale,
            "dense": self.dense.weight, "dense_bias": self.dense.bias,
            "from_input": self.gru.weight_ih_l0, "input_bias": self.gru.bias_ih_l0,
            "from_state": self.gru.weight_hh_l0, "state_bias": self.gru.bias_hh_l0,
            "out": self.out.weight[0], "out_bias": self.out.bias,
        }  # fmt: skip

    def weights(self) -> dict[str, np.ndarray]:
        """As `onset.npz` keeps them."""
        return {name: each.detach().numpy() for name, each in self.weights_by_name().items()}


def new_network(lessons: Lessons, seed: int = 1) -> Network:
    """One that knows nothing but how large its inputs are."""
    torch.manual_seed(seed)
    sample = lessons.rows[:: max(1, len(lessons.rows) // 200_000)].astype(np.float32)
    return Network(sample.mean(axis=0), 1 / (sample.std(axis=0) + 1e-3))


def old_network(folder: Path) -> Network:
    """The one of a model folder, to go on with."""
    kept = np.load(folder / "onset.npz")
    network = Network(kept["mean"], kept["scale"])
    own = dict(network.weights_by_name())
    with torch.no_grad():
        for name, each in own.items():
            each.copy_(torch.from_numpy(kept[name]))
    return network


def train(network: Network, lessons: Lessons, dev: Lessons, epochs: int, seed: int = 1) -> None:
    """Fits a network; prints the loss on both parts."""
    rng = np.random.default_rng(seed)
    learned = [each for each in network.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=4e-3, weight_decay=1e-3)
    steps = epochs * (len(lessons) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps + 1)
    for epoch in range(epochs):
        started, losses = time.time(), []
        order = rng.permutation(len(lessons))
        for at in range(0, len(order) - BATCH + 1, BATCH):
            rows, spoken, weights = lessons.batch(order[at : at + BATCH], _HOPS)
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
                rows, spoken, weights = dev.batch(np.arange(len(dev)), _HOPS)
                held = float(_loss(network(rows), spoken, weights))
            spent = time.time() - started
            print(
                f"epoch {epoch + 1}: {np.mean(losses):.4f} dev {held:.4f} {spent:.0f} s", flush=True
            )


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


def choose(lessons: list[tuple[Lessons, list[np.ndarray]]], budget: float) -> tuple[float, ...]:
    """The lowest limits of each stretch that so small a share of hums, and of noises, pass.

    A share of the budget goes to each stretch; no limit is above that of an earlier one, since a
    few odd sounds decide over the late ones.
    """
    edges = [_hops_until(until) for until in UNTIL_MS]
    stretches = list(zip([0, *edges], [*edges, 10_000], strict=True))
    limits = [0.5] * len(stretches)
    for kind in ("hum", "noise"):
        own = [
            each
            for part, judged in lessons
            for each, of in zip(judged, part.kind, strict=True)
            if of == kind
        ]
        for place, (begin, end) in enumerate(stretches):
            best = np.sort([each[begin:end].max(initial=0.0) for each in own])
            passing = int(budget * SHARES[place] * len(own))
            limits[place] = max(limits[place], float(best[-1 - passing]) + 1e-4)
    return tuple(float(each) for each in np.minimum.accumulate(limits))


def outcome(
    lessons: Lessons, judged: list[np.ndarray], stop_at: tuple[float, ...]
) -> dict[str, float]:
    """False stops by kind, and how many of the words stop a prompt within so many frames."""
    edges = [0, *(_hops_until(until) for until in UNTIL_MS)]
    limits = np.full(10_000, stop_at[-1])
    for limit, begin, end in zip(stop_at, edges, edges[1:], strict=False):
        limits[begin:end] = limit
    found: dict[str, list[float]] = {"hum": [], "noise": [], "words": []}
    for index, each in enumerate(judged):
        passed = each >= limits[: len(each)]
        kind = str(lessons.kind[index])
        if kind in ("hum", "noise"):
            found[kind].append(float(passed.any()))
            continue
        spoken = lessons.spoken[lessons.starts[index] : lessons.starts[index + 1]]
        if kind == "words" and spoken.any():
            first = int(np.argmax(spoken))
            begun = first - (int(lessons.late[index]) if first == 0 else 0)
            stop = int(np.argmax(passed)) if passed.any() else 10_000
            found["words"].append(stop // 2 - begun // 2)
    delays = np.array(found["words"])
    shares = {f"within {n}": round(float((delays <= n).mean()), 3) for n in (2, 3, 4, 6, 9, 15)}
    return {kind: float(np.mean(found[kind])) for kind in ("hum", "noise")} | shares


def _hops_until(until_ms: int) -> int:
    """Hops of a sound of so much length; those of the frame before it come first."""
    return until_ms // _HOP_MS + 2


def _disturbed(rows: torch.Tensor) -> torch.Tensor:
    """The same sounds with another tilt of the line and a little noise in the features."""
    tilt = torch.randn(len(rows), 1, 1) * torch.linspace(-2.5, 2.5, onset.BANDS)
    rows = rows.clone()
    rows[..., : onset.BANDS] += tilt + 0.7 * torch.randn(rows.shape[0], rows.shape[1], onset.BANDS)
    return rows


def _loss(logits: torch.Tensor, spoken: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, spoken, reduction="none")
    return (each * weights).sum() / weights.sum()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of onset_data")
    parser.add_argument("--out", type=Path, required=True, help="model folder")
    parser.add_argument("--start", type=Path, help="folder of a model to go on with")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    parts = {name: Lessons.read(args.data, name) for name in ("train", "dev", "test")}
    network = old_network(args.start) if args.start else new_network(parts["train"])
    train(network, parts["train"], parts["dev"], args.epochs)
    judged = {name: scores(network, part) for name, part in parts.items()}
    seen = [(parts[name], judged[name]) for name in ("train", "dev")]
    for budget in (0.003, BUDGET, 0.01, 0.02, 0.04, 0.08, 0.16):
        stop_at = choose(seen, budget)
        print(f"budget {budget}: stop at {np.round(stop_at, 3)}")
        for name in ("dev", "test"):
            print(f"  {name}: {outcome(parts[name], judged[name], stop_at)}")
    kept = network.weights() | {
        "stop_at": np.array(choose(seen, BUDGET), np.float32),
        "until_ms": np.array(UNTIL_MS, np.int32),
    }
    args.out.mkdir(parents=True, exist_ok=True)
    np.savez(args.out / "onset.npz", **kept)
    print(f"{(args.out / 'onset.npz').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
