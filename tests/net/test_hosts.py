"""The test network does what tests rely on: who reaches whom, and whose sockets are whose."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import pytest

from .hosts import BOX, BOX_OFFICE, PBX, STRANGER, Host, Hosts, forged, udp_from


def received(sock: socket.socket) -> list[tuple[bytes, str]]:
    """What lies there: veth delivers before the sender's call returns."""
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            payload, source = sock.recvfrom(2048)
            found.append((payload, source[0]))
    return found


@pytest.mark.parametrize(("host", "own"), [("pbx", PBX), ("stranger", STRANGER)])
def test_everybody_reaches_the_box(hosts: Hosts, host: Host, own: str) -> None:
    with udp_from(BOX) as here, hosts.inside(host), udp_from(own) as there:
        there.sendto(b"hello", here.getsockname())
        assert received(here) == [(b"hello", own)]


def test_the_box_is_no_way_to_the_pbx(hosts: Hosts) -> None:
    hosts.harden()
    with hosts.inside("pbx"):
        there = udp_from(PBX)
    with there, hosts.inside("stranger"), udp_from(STRANGER) as stranger:
        stranger.sendto(b"hello", there.getsockname())
        assert received(there) == []


@pytest.mark.parametrize("hardened", [False, True])
def test_a_forged_source_passes_only_an_open_kernel(hosts: Hosts, hardened: bool) -> None:
    if hardened:
        hosts.harden()
    dropped = hosts.forged_dropped()
    with udp_from(BOX) as here:
        packet = forged((PBX, 5060), here.getsockname(), b"I am the PBX")
        with hosts.inside("stranger"):
            raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        with raw:
            raw.sendto(packet, (BOX_OFFICE, 0))
        assert received(here) == ([] if hardened else [(b"I am the PBX", PBX)])
    assert hosts.forged_dropped() - dropped == int(hardened)


def test_nothing_is_left_of_it() -> None:
    before = set(Path("/run/netns").glob("*")) if Path("/run/netns").exists() else set()
    with pytest.raises(ZeroDivisionError), Hosts() as made, made.inside("box"):
        raise ZeroDivisionError
    assert set(Path("/run/netns").glob("*")) - before == set()
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.bind((BOX, 0))
        raise AssertionError("still inside the box")
