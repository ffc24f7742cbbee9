"""Real-time priority for the process that paces the audio.

A unit may have begun it with that priority; whether it keeps it is the configuration's word.
"""

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


def give_up_realtime() -> None:
    """The usual priority for this process and the threads it will start."""
    if os.sched_getscheduler(0) == os.SCHED_FIFO:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
