import asyncio
from itertools import product

from appliance.health.calls import STAGES
from appliance.health.exposition import exposition
from appliance.health.health import Health


def test_a_scrape_lets_others_run_after_every_family() -> None:
    """However many series there are, no piece of work is larger than one family of metrics."""
    health = Health()
    for name, kind in product(STAGES, map(str, range(20))):
        health.calls.stages[name].of(kind).observe(0.1)
    families = len(list(health.registry.collect()))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def scraped() -> bytes:
        beside = asyncio.create_task(others())
        text = await exposition(health.registry)
        beside.cancel()
        return text

    text = asyncio.run(scraped())
    assert text.count(b"\n") > 1500
    assert turns >= 2 * families


def test_the_number_of_series_has_a_limit() -> None:
    """Flows are reloaded for months, each time with other outcomes."""
    health = Health()
    for number in range(3000):
        tally = health.calls.tally()
        tally("call", 0.0, {"flow": f"flow {number}"})
        tally("action", 0.0, {"name": f"tool {number}", "outcome": "done"})
        tally("turn", 0.0, {"decision_ms": 1.0, "asked": f"slot {number}"})
        tally("end", 1.0, {"outcome": f"outcome {number}", "by": "peer"})
    text = asyncio.run(exposition(health.registry))
    assert text.count(b"\n") < 3000
