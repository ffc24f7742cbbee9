from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.testing.rtp import (
    DIGITS,
    RtpPacket,
    TelephoneEvent,
    parse_event,
    parse_packet,
    serialize_event,
    serialize_packet,
)

PACKETS = Path(__file__).parent / "packets"


def golden(name: str) -> bytes:
    return (PACKETS / f"{name}.bin").read_bytes()


def test_audio() -> None:
    data = golden("rtp_audio")
    packet = parse_packet(data)
    assert packet == RtpPacket(0, 17, 160, 0xCAFE0001, b"\xff" * 160, marker=True)
    assert serialize_packet(packet) == data


def test_dtmf() -> None:
    data = golden("rtp_dtmf")
    packet = parse_packet(data)
    event = parse_event(packet.payload)
    assert event == TelephoneEvent("9", 800, end=True, volume=10)
    assert serialize_event(event) == packet.payload
    assert serialize_packet(packet) == data


def test_padding_is_cut_off() -> None:
    assert parse_packet(golden("rtp_padded")).payload == b"\xd5" * 4


def test_csrc_and_extension_are_skipped() -> None:
    packet = parse_packet(golden("rtp_extended"))
    assert (packet.sequence, packet.payload) == (20, b"\xff" * 8)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rtp_audio_invalid", "version is 1"),
        ("rtp_audio_truncated", "needs 12 bytes, got 11"),
        ("rtp_padded_invalid", "padding of 64 bytes does not fit"),
        ("rtp_padded_truncated", "padding of 0 bytes does not fit"),
        ("rtp_extended_invalid", "extension is truncated"),
        ("rtp_extended_truncated", "extension is truncated"),
    ],
)
def test_malformed_packet(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_packet(golden(name))


@pytest.mark.parametrize(
    ("name", "said"),
    [("rtp_dtmf_invalid", "event 99 is no key"), ("rtp_dtmf_truncated", "needs 4 bytes, got 3")],
)
def test_malformed_event(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_event(parse_packet(golden(name)).payload)


@given(
    st.builds(
        RtpPacket,
        payload_type=st.integers(0, 127),
        sequence=st.integers(0, 0xFFFF),
        timestamp=st.integers(0, 0xFFFFFFFF),
        ssrc=st.integers(0, 0xFFFFFFFF),
        payload=st.binary(max_size=200),
        marker=st.booleans(),
    )
)
def test_packet_round_trip(packet: RtpPacket) -> None:
    assert parse_packet(serialize_packet(packet)) == packet


@given(
    st.builds(
        TelephoneEvent,
        digit=st.sampled_from(DIGITS),
        duration=st.integers(0, 0xFFFF),
        end=st.booleans(),
        volume=st.integers(0, 63),
    )
)
def test_event_round_trip(event: TelephoneEvent) -> None:
    assert parse_event(serialize_event(event)) == event


@given(st.binary(max_size=64))
def test_any_bytes_parse_or_raise_value_error(data: bytes) -> None:
    try:
        packet = parse_packet(data)
    except ValueError:
        return
    assert data.endswith(packet.payload) or data[0] & 0x20


@pytest.mark.parametrize(
    "packet",
    [
        RtpPacket(128, 0, 0, 0, b""),
        RtpPacket(0, 0x10000, 0, 0, b""),
        RtpPacket(0, 0, -1, 0, b""),
    ],
)
def test_field_out_of_range_is_not_written(packet: RtpPacket) -> None:
    with pytest.raises(ValueError, match="RTP"):
        serialize_packet(packet)


@pytest.mark.parametrize(
    "event", [TelephoneEvent("x", 0), TelephoneEvent("12", 0), TelephoneEvent("1", 70000)]
)
def test_event_out_of_range_is_not_written(event: TelephoneEvent) -> None:
    with pytest.raises(ValueError, match=r"keys|needs volume"):
        serialize_event(event)
