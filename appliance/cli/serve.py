"""`appliance serve`: the agent and its line, until a signal."""

from __future__ import annotations

import asyncio
import signal

import structlog

from appliance.clock import SystemClock
from appliance.config import Config
from appliance.health.health import Health
from appliance.health.server import HealthServer
from appliance.logs import configure_logging
from appliance.session.agent import Agent
from appliance.session.heap import settle
from appliance.telephony.switch import Switch


def serve(config: Config) -> None:
    """Take calls until SIGINT or SIGTERM.

    Raises:
        ApplianceError: it cannot start as configured.
    """
    configure_logging()
    health = Health()
    with HealthServer(config.health, health):
        agent = Agent(config, SystemClock(), _progress, health)
        asyncio.run(_until_signal(agent, config))


async def _until_signal(agent: Agent, config: Config) -> None:
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    assert running is not None
    stopping = False

    def stop() -> None:
        nonlocal stopping
        stopping = True
        running.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)

    def ready(switch: Switch) -> None:
        settle()
        structlog.get_logger().info(
            "ready",
            sip=f"{config.line.address}:{config.line.port}",
            line_pid=switch.line_pid,
            line_pids=[line.pid for line in switch.lines],
            calls=config.line.capacity,
        )

    try:
        await agent.run(ready)
    except asyncio.CancelledError:
        if not stopping:
            raise


def _progress(what: str, done: int, total: int) -> None:
    if done in (0, total):
        structlog.get_logger().info("loading", what=what, done=done, total=total)
