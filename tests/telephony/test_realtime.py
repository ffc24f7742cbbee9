"""Real-time priority where permitted, one warning where not."""

from __future__ import annotations

import os

import pytest
import structlog

from appliance.telephony.realtime import claim_realtime


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
