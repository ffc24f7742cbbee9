"""How much later the agent's event loop comes round while its metrics are being scraped.

scripts/bench_scrape.py [--seconds 10] [--flows 12]

The agent's own health server with the series of so many flows, scraped some ten times a second by
another process; beside it a loop that wants to tick every millisecond. Other programs make it late
too, so it is measured in turns without scrapes and with them.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from itertools import product

from appliance.health.calls import STAGES
from appliance.health.health import Health
from appliance.health.server import HealthServer
from appliance.sections import HealthConfig
from appliance.testing.served import free_port

_TICK_S = 0.001
_TURNS = 5
_SCRAPER = """
import http.client, sys, time
count, until = 0, time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    connection.request("GET", "/metrics")
    size = len(connection.getresponse().read())
    connection.close()
    count += 1
    time.sleep(0.1)
print(count, size)
"""
_KINDS = (
    "open", "zip", "yes_no", "date", "amount", "name", "address", "phone", "email", "time", "text"
)  # fmt: skip


def filled(flows: int) -> Health:
    """A health with what so many flows of twenty outcomes and ten tools count."""
    health = Health()
    for name, kind in product(STAGES, _KINDS):
        health.calls.stages[name].of(kind).observe(0.1)
    for flow in map(str, range(flows)):
        health.calls.calls.of(flow).inc()
        health.calls.length.of(flow).observe(60)
        for outcome in map(str, range(20)):
            health.calls.ended.of(flow, outcome).inc()
        for tool in map(str, range(10)):
            health.calls.actions.of(f"{flow} {tool}", "done").inc()
    return health


async def ticks(seconds: float) -> list[float]:
    """How late each tick was, ms."""
    late, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        due = time.perf_counter() + _TICK_S
        await asyncio.sleep(_TICK_S)
        late.append(1000 * (time.perf_counter() - due))
    return late


def told(name: str, late: list[float]) -> str:
    """A line of the result."""
    late.sort()
    p50, p95, p99 = (late[int(share * len(late))] for share in (0.5, 0.95, 0.99))
    return f"{name:16} {len(late):6} ticks   p50 {p50:.2f}   p95 {p95:.2f}   p99 {p99:.2f} ms late"


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each kind")
    parser.add_argument("--flows", type=int, default=12)
    given = parser.parse_args()
    turn_s = given.seconds / _TURNS
    without, scraped, scrapes = list[float](), list[float](), 0
    with HealthServer(HealthConfig(port=free_port()), filled(given.flows)) as server:
        for _ in range(_TURNS):
            without += asyncio.run(ticks(turn_s))
            command = [sys.executable, "-c", _SCRAPER, str(server.port), str(turn_s)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scraper:
                scraped += asyncio.run(ticks(turn_s))
                count, size = scraper.communicate()[0].split()
            scrapes += int(count)
    print(f"{scrapes} scrapes of {int(size) / 1024:.0f} KiB")
    print(told("without scrapes", without))
    print(told("with scrapes", scraped))
    return 0


if __name__ == "__main__":
    sys.exit(main())
