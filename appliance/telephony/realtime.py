"""Real-time priority for the process that paces the audio."""

from __future__ import annotations

import os

import structlog

PRIORITY = 10
log = structlog.get_logger()


def claim_realtime() -> bool:
    """SCHED_FIFO for this process and the threads it will start; one warning where refused."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError as error:
        log.warning(
            "no real-time priority: audio may stutter under load",
            why=error.strerror,
            remedy="LimitRTPRIO=10 in the systemd unit, or line.realtime = false",
        )
        return False
    return True
