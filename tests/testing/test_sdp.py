from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.testing.sdp import (
    DIRECTIONS,
    AudioDescription,
    PayloadFormat,
    parse_description,
    serialize_description,
)

PACKETS = Path(__file__).parent / "packets"


def golden(name: str) -> bytes:
    return (PACKETS / f"{name}.bin").read_bytes()


def test_offer() -> None:
    offer = parse_description(golden("sdp_offer"))
    assert (offer.address, offer.port, offer.direction) == ("127.0.0.1", 40002, "sendrecv")
    assert offer.formats == (PayloadFormat(0, "PCMU"), PayloadFormat(101, "telephone-event"))
    assert offer.payload_type("pcmu") == 0
    assert offer.payload_type("PCMA") is None


@given(
    st.builds(
        AudioDescription,
        address=st.sampled_from(["127.0.0.1", "192.0.2.7"]),
        port=st.integers(0, 65535),
        formats=st.lists(
            st.sampled_from(
                [
                    PayloadFormat(0, "PCMU"),
                    PayloadFormat(8, "PCMA"),
                    PayloadFormat(96, "opus", 48000),
                    PayloadFormat(101, "telephone-event"),
                ]
            ),
            min_size=1,
            unique=True,
        ).map(tuple),
        direction=st.sampled_from(DIRECTIONS),
        session_id=st.integers(0, 2**62),
        version=st.integers(0, 2**62),
    )
)
def test_round_trip(description: AudioDescription) -> None:
    assert parse_description(serialize_description(description)) == description


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (golden("sdp_offer_invalid"), "port is not 0..65535: 'many'"),
        (golden("sdp_offer_truncated"), "no audio stream"),
        (b"", "does not begin with v=0"),
        (b"v=0\r\n\xff", "not UTF-8"),
        (b"v=0\r\nnonsense\r\n", "line 2 is not type=value: 'nonsense'"),
        (golden("sdp_offer").replace(b"c=IN IP4", b"c=IN IP6"), "not IN IP4"),
        (golden("sdp_offer").replace(b"c=IN IP4 127.0.0.1\r\n", b""), "no c= line"),
        (golden("sdp_offer").replace(b"o=- 1", b"o=- x"), "no o= line with numeric"),
        (golden("sdp_offer").replace(b"AVP 0 101", b"AVP zero"), "media line is malformed"),
        (golden("sdp_offer").replace(b"event/8000", b"event/fast"), "rtpmap is malformed"),
    ],
)
def test_malformed(body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_description(body)


@pytest.mark.parametrize(
    ("change", "held"),
    [
        ((b"", b""), False),
        ((b"a=sendrecv", b"a=sendonly"), True),
        ((b"a=sendrecv", b"a=inactive"), True),
        ((b"c=IN IP4 127.0.0.1", b"c=IN IP4 0.0.0.0"), True),
    ],
)
def test_hold(change: tuple[bytes, bytes], held: bool) -> None:
    assert parse_description(golden("sdp_offer").replace(*change)).on_hold is held


def test_unknown_direction_is_not_written() -> None:
    with pytest.raises(ValueError, match="'both' is not one of"):
        serialize_description(AudioDescription("127.0.0.1", 1, (), direction="both"))
