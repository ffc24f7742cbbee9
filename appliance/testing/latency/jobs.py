"""What the benchmark tells a process of callers to do. JSON over its standard input."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from appliance.testing.digest import Credentials

LANES_A_PROCESS = 6
"""A caller has a thread that paces its packets; more in one process disturb each other."""
_STAGGER_S = 4.0
"""Lanes begin within this time of each other, so that their turns do not fall together."""


class _Order(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CallOrder(_Order):
    """One call: its number in the run (which is the seed of its pauses) and its script's file.

    `steps`: so many of the script, and then hang up; None: all.
    """

    number: int
    script: Path
    steps: int | None = None


class Lane(_Order):
    """Calls that follow each other, to one SIP URI; `delay_s` after the start the first begins."""

    target: str
    delay_s: float
    calls: tuple[CallOrder, ...]


class Far(_Order):
    """Whom to call, and as whom.

    Attributes:
        targets: SIP URIs, which the callers share evenly: the line processes of a box.
        address: local address that the far end can reach.
        credentials: for a PBX that wants a password.
        register_first: whether callers register with it before they call.
        as_user: user part of their own URI; empty: the script's `caller`.
    """

    targets: tuple[str, ...]
    address: str = "127.0.0.1"
    credentials: Credentials | None = None
    register_first: bool = False
    as_user: str = ""


class Job(_Order):
    """All that one process does. `voices`: folder of renderings that all processes share."""

    far: Far
    voices: Path
    lanes: tuple[Lane, ...]


def make_lanes(
    targets: Sequence[str],
    scripts: Sequence[Path],
    concurrency: int,
    numbers: Sequence[int],
    steps: int | None = None,
) -> list[Lane]:
    """Calls with these numbers on so many lanes; scripts take turns, lanes begin at drawn times."""
    chance = random.Random(numbers[0])
    orders = [
        CallOrder(number=number, script=scripts[index % len(scripts)], steps=steps)
        for index, number in enumerate(numbers)
    ]
    spread_s = _STAGGER_S if concurrency > 1 else 0.0
    return [
        Lane(
            target=targets[at % len(targets)],
            delay_s=round(chance.uniform(0, spread_s), 3),
            calls=tuple(orders[at::concurrency]),
        )
        for at in range(concurrency)
    ]


def make_jobs(far: Far, voices: Path, lanes: Sequence[Lane]) -> list[Job]:
    """The lanes dealt to as many processes as they need, evenly."""
    processes = -(-len(lanes) // LANES_A_PROCESS)
    return [
        Job(far=far, voices=voices, lanes=tuple(lanes[at::processes])) for at in range(processes)
    ]
