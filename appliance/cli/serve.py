"""`appliance serve`: the agent and its lines, until a signal.

SIGTERM: calls are let go on for `line.drain_s`, new ones are refused. A second one, or Ctrl-C, ends
at once.
"""

from __future__ import annotations

import asyncio
import signal

import structlog

from appliance.cli.places import CONFIG, ConfigOption
from appliance.clock import SystemClock
from appliance.config import Config, load_config
from appliance.health.health import Health
from appliance.health.server import HealthServer
from appliance.logs import configure_logging, log_crashes
from appliance.notify import Notifier
from appliance.session.agent import Agent
from appliance.session.heap import settle
from appliance.session.reception import END_S
from appliance.telephony.switch import Switch

_LOADING_STEP_S = 120.0
"""From one sign of progress to the next, while models are loaded and prompts rendered."""


def serve(config: ConfigOption = CONFIG) -> None:
    """Answer calls until told to stop (Ctrl-C or SIGTERM)."""
    checked = load_config(config)
    configure_logging()
    log_crashes()
    health, notifier = Health(), Notifier.of_service()

    def progress(what: str, done: int, total: int) -> None:
        notifier.needs(_LOADING_STEP_S)
        notifier.status(f"loading: {what} {done} of {total}")
        if done in (0, total):
            structlog.get_logger().info("loading", what=what, done=done, total=total)

    with HealthServer(checked.health, health):
        agent = Agent(checked, SystemClock(), progress, health, notifier)
        asyncio.run(_until_signal(agent, checked, notifier))


async def _until_signal(agent: Agent, config: Config, notifier: Notifier) -> None:
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    assert running is not None
    draining = stopping = False

    def end_at_once() -> None:
        nonlocal stopping
        stopping = True
        notifier.stopping("ends", END_S)
        running.cancel()

    def end() -> None:
        nonlocal draining
        if draining or not config.line.drain_s:
            end_at_once()
        draining = True
        agent.drain()

    loop.add_signal_handler(signal.SIGINT, end_at_once)
    loop.add_signal_handler(signal.SIGTERM, end)

    def ready(switch: Switch) -> None:
        settle()
        structlog.get_logger().info(
            "ready",
            sip=f"{config.line.address}:{config.line.port}",
            line_pid=switch.line_pid,
            line_pids=[line.pid for line in switch.lines],
            calls=config.line.capacity,
        )
        notifier.ready(f"{config.line.capacity} calls at once")

    try:
        await agent.run(ready)
    except asyncio.CancelledError:
        if not stopping:
            raise
