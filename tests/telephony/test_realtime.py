"""Real-time priority where permitted, one warning where not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import structlog

from appliance.telephony.realtime import PRIORITY, claim_realtime


def may_be_real_time() -> bool:
    """Whether this process may give and take real-time priority."""
    if os.geteuid() != 0:
        return False
    script = f"import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param({PRIORITY}))"
    return subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_refusal_is_one_warning_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with structlog.testing.capture_logs() as logs:
        assert claim_realtime() is False
    assert [entry["log_level"] for entry in logs] == ["warning"]
    assert "LimitRTPRIO" in logs[0]["remedy"]


def test_permitted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, int]] = []
    monkeypatch.setattr(
        os,
        "sched_setscheduler",
        lambda pid, policy, p: asked.append((pid, policy, p.sched_priority)),
    )
    with structlog.testing.capture_logs() as logs:
        assert claim_realtime() is True
    assert asked == [(0, os.SCHED_FIFO, 10)]
    assert logs == []


AS_SYSTEMD = f"""
import os, resource
from appliance.telephony.realtime import claim_realtime, give_up_realtime
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param({PRIORITY}))
resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
os.setuid(65534)
"""


def begun_in_real_time(then: str) -> str:
    """What policy a process has that its unit began with SCHED_FIFO and that may not ask for it."""
    script = f"{AS_SYSTEMD}{then}\nprint(os.sched_getscheduler(0))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not may_be_real_time(), reason="needs root, and real-time priority to give")
def test_a_line_that_was_begun_in_real_time_keeps_it_or_gives_it_up() -> None:
    assert begun_in_real_time("assert claim_realtime()") == f"{os.SCHED_FIFO}\n"
    assert begun_in_real_time("give_up_realtime()") == f"{os.SCHED_OTHER}\n"
