#!/usr/bin/env python3
"""How long a turn of the dialogue takes, and how long it takes to prove a flow.

Example:
    scripts/bench_dialogue.py                     # all shipped flows
    scripts/bench_dialogue.py --calls 5000 --json
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.flow import Flow
from appliance.flows.registry import read_flow, shipped_flows
from appliance.flows.simulated import SimulatedCaller, simulate


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("flows", nargs="*", default=shipped_flows())
    parser.add_argument("--calls", type=int, default=2000, help="simulated calls per flow")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = [measure(name, given.calls, given.seed) for name in given.flows]
    if given.json:
        print(json.dumps({"machine": _machine(), "flows": figures}, indent=2))
        return
    print(_machine())
    for each in figures:
        print(
            f"{each['flow']}: a turn p50 {each['step_us']['p50']} / p95 {each['step_us']['p95']} /"
            f" p99 {each['step_us']['p99']} us over {each['steps']} turns;"
            f" {each['calls_per_s']} simulated calls a second;"
            f" proven in {each['check_s']} s ({each['states']} states,"
            f" {each['transitions']} transitions)"
        )


def measure(name: str, calls: int, seed: int) -> dict[str, Any]:
    """The figures of one flow."""
    flow = read_flow(name)
    taken: list[float] = []
    started = time.perf_counter()
    simulate(flow, calls, seed, lambda _: None)
    rate = calls / (time.perf_counter() - started)
    for number in range(calls):
        taken += step_times(flow, f"{seed}:{number}")
    cuts = quantiles(taken, n=100)
    verdict = check_flow(flow)
    return {
        "flow": flow.name,
        "steps": len(taken),
        "step_us": {p: round(cuts[int(p[1:]) - 1] * 1e6) for p in ("p50", "p95", "p99")},
        "calls_per_s": round(rate),
        "states": verdict.states,
        "transitions": verdict.transitions,
        "check_s": verdict.seconds,
    }


def step_times(flow: Flow, seed: str) -> list[float]:
    """Seconds of each turn of a simulated call."""
    caller = SimulatedCaller(flow, Random(seed), seed)
    taken = []
    while not caller.ended:
        event = caller.next_event()
        started = time.perf_counter()
        caller.take(event)
        taken.append(time.perf_counter() - started)
    return taken


def _machine() -> str:
    return f"{platform.machine()}, Python {platform.python_version()}, {platform.system()}"


if __name__ == "__main__":
    main()
