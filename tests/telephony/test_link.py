"""The line's end of the socket: it never blocks, and loses audio before anything else."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from appliance.telephony.link import MAX_READ, AgentLink
from appliance.telephony.messages import Answer, Audio, CallDown, Digit, Held
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

Pair = tuple[AgentLink, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    line, agent = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    agent.setblocking(False)
    with line, agent:
        yield AgentLink(line), agent


def audio(number: int) -> Audio:
    return Audio(1, number, 0, bytes(320))


def read_all(agent: socket.socket) -> list[object]:
    messages: list[object] = []
    while True:
        try:
            messages.append(parse_message(agent.recv(MAX_PACKET_BYTES)))
        except BlockingIOError:
            return messages


def test_full_socket_drops_audio_and_keeps_events_in_order(pair: Pair) -> None:
    link, agent = pair
    sent = 0
    while not link.dropped_frames:
        link.send(audio(sent))
        sent += 1
    link.send(Held(1))
    link.send(audio(sent))  # behind an event that waits: dropped, or it would overtake
    link.send(CallDown(1, 200, "", "peer"))
    assert link.dropped_frames == 2
    first = read_all(agent)
    assert first == [audio(number) for number in range(sent - 1)]
    link.flush()
    assert read_all(agent) == [Held(1), CallDown(1, 200, "", "peer")]
    link.send(audio(7))
    assert read_all(agent) == [audio(7)]


def test_receives_in_bounded_gulps(pair: Pair) -> None:
    link, agent = pair
    for number in range(MAX_READ + 5):
        agent.send(serialize_message(Answer(number)))
    assert len(link.receive()) == MAX_READ
    assert link.receive() == [Answer(MAX_READ + number) for number in range(5)]
    assert not link.closed


def test_agent_gone_while_receiving(pair: Pair) -> None:
    link, agent = pair
    agent.send(serialize_message(Answer(1)))
    agent.close()
    assert link.receive() == [Answer(1)]
    assert link.closed


def test_agent_gone_while_sending(pair: Pair) -> None:
    link, agent = pair
    agent.close()
    link.send(Digit(1, "5", "info"))
    link.send(audio(1))
    assert link.receive() == []
    assert link.closed


def test_malformed_message_is_an_error(pair: Pair) -> None:
    link, agent = pair
    agent.send(b"nonsense")
    with pytest.raises(ValueError, match="version"):
        link.receive()
