"""What is told to systemd, over a socket like its own."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.notify import Notifier


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as listening:
        listening.bind(str(tmp_path / "notify"))
        yield listening


def said(systemd: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(systemd.recv(4096).decode())
        except BlockingIOError:
            return found


def notifier(systemd: socket.socket, **environment: str) -> Notifier:
    return Notifier.of_service({"NOTIFY_SOCKET": systemd.getsockname(), **environment})


def test_a_service_from_its_start_to_its_end(systemd: socket.socket) -> None:
    service = notifier(systemd, WATCHDOG_USEC="3000000", WATCHDOG_PID=str(os.getpid()))
    assert service.watchdog_s == 3.0
    service.needs(1.5)
    service.status("loading")
    service.status("loading")
    service.ready("takes calls")
    service.alive()
    service.stopping("ends", 2)
    service.stopping("ends", 2)
    assert said(systemd) == [
        "EXTEND_TIMEOUT_USEC=1500000",
        "STATUS=loading",
        "READY=1\nSTATUS=takes calls",
        "WATCHDOG=1",
        "STOPPING=1\nSTATUS=ends\nEXTEND_TIMEOUT_USEC=2000000",
    ]
    service.close()


@pytest.mark.parametrize(
    "environment",
    [{}, {"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}, {"WATCHDOG_USEC": "soon"}],
    ids=["nobody watches", "another is watched", "nonsense"],
)
def test_a_watchdog_that_is_not_ours_is_not_fed(
    systemd: socket.socket, environment: dict[str, str]
) -> None:
    service = notifier(systemd, **environment)
    service.alive()
    assert (service.watchdog_s, said(systemd)) == (0.0, [])
    service.close()


def test_an_abstract_socket() -> None:
    name = f"@appliance-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as listening:
        listening.bind("\0" + name[1:])
        service = Notifier(name)
        service.status("here")
        assert said(listening) == ["STATUS=here"]
        service.close()


def test_without_systemd_or_with_one_that_is_gone_nothing_happens(tmp_path: Path) -> None:
    for service in (Notifier.of_service({}), Notifier(str(tmp_path / "gone"), 1.0)):
        service.ready("x")
        service.alive()
        service.close()
        service.status("y")


def test_a_full_socket_is_not_waited_for(systemd: socket.socket) -> None:
    service = Notifier(systemd.getsockname(), 1.0)
    for _ in range(10_000):
        service.alive()
    assert 0 < len(said(systemd)) < 10_000
    service.close()
