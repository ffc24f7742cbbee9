"""Writes the golden packets: bytes spelled out by hand from the RFCs, not by the code tested.

Run: .venv/bin/python tests/testing/packets/make.py
"""

import struct
from pathlib import Path

HERE = Path(__file__).parent

INVITE = b"""INVITE sip:appliance@127.0.0.1:5060 SIP/2.0\r
Via: SIP/2.0/UDP 127.0.0.1:40000;branch=z9hG4bK776asdhds;rport\r
Max-Forwards: 70\r
From: "Maria, L." <sip:+13105550100@127.0.0.1>;tag=1928301774\r
To: <sip:appliance@127.0.0.1:5060>\r
Call-ID: a84b4c76e66710\r
CSeq: 314159 INVITE\r
Contact: <sip:+13105550100@127.0.0.1:40000>\r
Content-Type: application/sdp\r
Content-Length: 143\r
\r
v=0\r
o=- 1 1 IN IP4 127.0.0.1\r
s=call\r
c=IN IP4 127.0.0.1\r
t=0 0\r
m=audio 40002 RTP/AVP 0 101\r
a=rtpmap:101 telephone-event/8000\r
a=sendrecv\r
"""
RINGING = b"""SIP/2.0 180 Ringing\r
v: SIP/2.0/UDP 127.0.0.1:40000;branch=z9hG4bK776asdhds;rport=40000\r
f: <sip:+13105550100@127.0.0.1>;tag=1928301774\r
t: <sip:appliance@127.0.0.1:5060>;tag=314\r
i: a84b4c76e66710\r
CSeq: 314159 INVITE\r
l: 0\r
\r
"""


def main() -> None:
    head, _, body = INVITE.partition(b"\r\n\r\n")
    invite = head.replace(b"143", str(len(body)).encode()) + b"\r\n\r\n" + body
    rtp = struct.pack("!BBHII", 0x80, 0x80, 17, 160, 0xCAFE0001)
    dtmf = struct.pack("!BBHII", 0x80, 101, 18, 320, 0xCAFE0001)
    event = struct.pack("!BBH", 9, 0x80 | 10, 800)
    padded = struct.pack("!BBHII", 0xA0, 8, 19, 480, 0xCAFE0001) + b"\xd5" * 4 + b"\0\0\0\4"
    extended = struct.pack("!BBHIII", 0x91, 0, 20, 640, 0xCAFE0001, 7)
    extended += struct.pack("!HHI", 0xBEDE, 1, 0) + b"\xff" * 8
    files = {
        "sip_invite.bin": invite,
        "sip_invite_invalid.bin": invite.replace(b"CSeq: 314159 INVITE", b"CSeq: many INVITE"),
        "sip_invite_truncated.bin": invite[:-20],
        "sip_ringing.bin": RINGING,
        "sip_ringing_invalid.bin": RINGING.replace(b"SIP/2.0 180", b"SIP/2.0 999"),
        "sip_ringing_truncated.bin": RINGING[:60],
        "sdp_offer.bin": body,
        "sdp_offer_invalid.bin": body.replace(b"m=audio 40002", b"m=audio many"),
        "sdp_offer_truncated.bin": body[: body.index(b"m=audio")],
        "rtp_audio.bin": rtp + b"\xff" * 160,
        "rtp_audio_invalid.bin": bytes([0x40]) + rtp[1:] + b"\xff" * 160,
        "rtp_audio_truncated.bin": rtp[:11],
        "rtp_dtmf.bin": dtmf + event,
        "rtp_dtmf_invalid.bin": dtmf + bytes([99]) + event[1:],
        "rtp_dtmf_truncated.bin": dtmf + event[:3],
        "rtp_padded.bin": padded,
        "rtp_padded_invalid.bin": padded[:-1] + b"\x40",
        "rtp_padded_truncated.bin": padded[:12],
        "rtp_extended.bin": extended,
        "rtp_extended_invalid.bin": extended.replace(b"\xbe\xde\0\1", b"\xbe\xde\0\x40"),
        "rtp_extended_truncated.bin": extended[:18],
    }
    for name, data in files.items():
        (HERE / name).write_bytes(data)


if __name__ == "__main__":
    main()
