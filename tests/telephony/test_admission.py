"""Who may call and how often."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from appliance.telephony.admission import (
    PEER_MEDIA_LINES,
    STRANGER_REQUESTS,
    WINDOW_NS,
    Admission,
    WindowBudget,
)

PEERS = (IPv4Network("192.0.2.0/29"), IPv4Network("198.51.100.7/32"))
INVITE = b"INVITE sip:x@y SIP/2.0\r\nTo: <sip:x@y>\r\n\r\nv=0\r\nm=audio 4000 RTP/AVP 0\r\n"
LATE_OFFER = b"INVITE sip:x@y SIP/2.0\r\nTo: <sip:x@y>\r\n\r\n"
OPTIONS = b"OPTIONS sip:x@y SIP/2.0\r\n\r\n"
PEER, STRANGER = "192.0.2.1", "203.0.113.1"


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("192.0.2.1", True),
        ("192.0.2.7:5060", True),
        ("192.0.2.8", False),
        ("198.51.100.7", True),
        ("198.51.100.8", False),
        ("", False),
        ("192.0.2", False),
        ("::1", False),
        ("192.0.2.1\0", False),
    ],
)
def test_peer_by_network(address: str, allowed: bool) -> None:
    assert Admission(PEERS).is_peer(address) is allowed


def test_budget_is_per_window() -> None:
    budget = WindowBudget(limit=3, window_ns=100)
    assert [budget.take(at) for at in (0, 10, 20, 30)] == [True, True, True, False]
    assert budget.take(99) is False
    assert budget.take(100)
    assert not budget.take(101)


def test_refused_units_cost_nothing() -> None:
    budget = WindowBudget(limit=3, window_ns=100)
    assert not budget.take(0, cost=4)
    assert budget.take(0, cost=3)


def test_peer_invites_up_to_the_budget() -> None:
    admission = Admission(PEERS)
    taken = [admission.admits(PEER, INVITE, 0) for _ in range(PEER_MEDIA_LINES + 5)]
    assert taken == [True] * PEER_MEDIA_LINES + [False] * 5
    assert admission.dropped == 5
    assert admission.admits(PEER, INVITE, WINDOW_NS)


def test_media_lines_are_the_cost() -> None:
    many = INVITE + b"m=audio 4000 RTP/AVP 0\r\n" * (PEER_MEDIA_LINES - 2)
    admission = Admission(PEERS)
    assert admission.admits(PEER, many, 0)
    assert admission.admits(PEER, INVITE, 0)
    assert not admission.admits(PEER, INVITE, 0)


@pytest.mark.parametrize(
    "disguise", [b"\nm=audio", b"\rm=audio", b"\r\n m=audio", b"\r\nm =audio", b"\r\n\tm=video"]
)
def test_more_media_lines_than_ever_allowed(disguise: bytes) -> None:
    admission = Admission(PEERS)
    assert not admission.admits(PEER, LATE_OFFER + disguise * (PEER_MEDIA_LINES + 1), 0)


def test_late_offer_costs_one_line() -> None:
    admission = Admission(PEERS)
    taken = [admission.admits(PEER, LATE_OFFER, 0) for _ in range(PEER_MEDIA_LINES + 1)]
    assert taken.count(True) == PEER_MEDIA_LINES


@pytest.mark.parametrize("prefix", [b"", b"\r\n\r\n"])
@pytest.mark.parametrize("method", [b"INVITE", b"invite", b"Invite"])
def test_method_in_any_guise(method: bytes, prefix: bytes) -> None:
    admission = Admission(PEERS)
    request = prefix + INVITE.replace(b"INVITE", method)
    assert [admission.admits(PEER, request, 0) for _ in range(PEER_MEDIA_LINES + 1)][-1] is False


def test_other_requests_of_peers_are_free() -> None:
    admission = Admission(PEERS)
    assert all(admission.admits(PEER, OPTIONS, 0) for _ in range(1000))


def test_strangers_get_few_answers() -> None:
    admission = Admission(PEERS)
    taken = [admission.admits(STRANGER, request, 0) for request in (INVITE, OPTIONS) * 10]
    assert taken.count(True) == STRANGER_REQUESTS
    assert admission.admits(PEER, OPTIONS, 0)


def test_strangers_leave_room_for_peers() -> None:
    admission = Admission(PEERS)
    for _ in range(1000):
        admission.admits(STRANGER, INVITE, 0)
    peers = [admission.admits(PEER, INVITE, 0) for _ in range(PEER_MEDIA_LINES)]
    assert peers.count(True) >= PEER_MEDIA_LINES - STRANGER_REQUESTS


@pytest.mark.parametrize("method", [b"ACK", b"CANCEL", b"BYE"])
def test_the_end_of_a_call_always_passes(method: bytes) -> None:
    admission = Admission(PEERS)
    for _ in range(100):
        admission.admits(STRANGER, INVITE, 0)
        admission.admits(PEER, INVITE, 0)
    assert admission.admits(PEER, method + b" sip:x@y SIP/2.0\r\n\r\n", 0)
