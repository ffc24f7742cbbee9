"""The door before pjsip: a module of its stack that drops requests `Admission` refuses.

pjsua2 offers no hook before it has spent sockets on an INVITE, so this registers a pjsip module
through ctypes, at a priority before the transaction layer. The fields it reads of pjsip's
received-packet structure lie at fixed places in this build (pjsua2-python 2.15.1.post1, read off
its machine code); `install_gate` proves the places with a packet of its own before it trusts
them, and without that proof leaves the door open and says so.
"""

from __future__ import annotations

import ctypes
import socket
import time
from collections.abc import Callable

_TEXT_LENGTH, _TEXT, _SOURCE, _SOURCE_PORT = 0x10E8, 0x140, 0x1110, 0x1140
_SOURCE_BYTES = 46
_MAX_TEXT = 4000
_DROP, _PASS = 1, 0
EVERY_ADDRESS, LOOPBACK = "0.0.0.0", "127.0.0.1"  # noqa: S104 - recognised, not bound
_BEFORE_TRANSACTIONS = 4

_OnRequest = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
Admit = Callable[[str, bytes], bool]


class _Module(ctypes.Structure):
    """`pjsip_module` of sip_module.h."""

    _fields_ = (
        ("prev", ctypes.c_void_p),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("name_length", ctypes.c_ssize_t),
        ("id", ctypes.c_int),
        ("priority", ctypes.c_int),
        ("load", ctypes.c_void_p),
        ("start", ctypes.c_void_p),
        ("stop", ctypes.c_void_p),
        ("unload", ctypes.c_void_p),
        ("on_rx_request", _OnRequest),
        ("on_rx_response", ctypes.c_void_p),
        ("on_tx_request", ctypes.c_void_p),
        ("on_tx_response", ctypes.c_void_p),
        ("on_tsx_state", ctypes.c_void_p),
    )


class Gate:
    """Keeps the module and its callback alive; open until `proved`."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._expected: tuple[str, int, bytes] | None = None
        self.proved = False
        self._callback = _OnRequest(self._on_request)
        self._module = _Module(
            name=b"admission",
            name_length=len(b"admission"),
            id=-1,
            priority=_BEFORE_TRANSACTIONS,
            on_rx_request=self._callback,
        )

    def register(self, library: ctypes.CDLL) -> bool:
        """Put the module into the stack; False where pjsip refuses."""
        library.pjsua_get_pjsip_endpt.restype = ctypes.c_void_p
        library.pjsip_endpt_register_module.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        endpoint = library.pjsua_get_pjsip_endpt()
        return bool(library.pjsip_endpt_register_module(endpoint, ctypes.byref(self._module)) == 0)

    def prove(self, bound: tuple[str, int], pump: Callable[[], None]) -> None:
        """Send one packet to ourselves and see whether it is read back right."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((LOOPBACK if bound[0] == EVERY_ADDRESS else bound[0], 0))
            address, own_port = probe.getsockname()
            packet = _probe(address, own_port)
            self._expected = (address, own_port, packet)
            probe.sendto(packet, (address, bound[1]))
            deadline = time.monotonic() + 1.0
            while not self.proved and time.monotonic() < deadline:
                pump()
        self._expected = None

    def _on_request(self, rdata: int) -> int:
        if not self.proved:
            return self._compare(rdata)
        length = ctypes.c_ssize_t.from_address(rdata + _TEXT_LENGTH).value
        text = ctypes.string_at(rdata + _TEXT, min(max(length, 0), _MAX_TEXT))
        return _PASS if self._admit(_read_source(rdata), text) else _DROP

    def _compare(self, rdata: int) -> int:
        """Whether the fields hold what we sent; reads stay inside pjsip's 4.6 kB structure."""
        if self._expected is None:
            return _PASS
        address, port, packet = self._expected
        if ctypes.string_at(rdata + _TEXT, len(packet)) != packet:
            return _PASS
        self.proved = (
            ctypes.c_ssize_t.from_address(rdata + _TEXT_LENGTH).value == len(packet)
            and _read_source(rdata) == address
            and ctypes.c_int.from_address(rdata + _SOURCE_PORT).value == port
        )
        return _DROP


def install_gate(
    binding: str, admit: Admit, bound: tuple[str, int], pump: Callable[[], None]
) -> Gate:
    """Register the gate in the running stack and prove it.

    Args:
        binding: path of pjsua2's extension module.
        admit: decides on (source address, whole request).
        bound: address and port of the SIP transport.
        pump: handles pending SIP events for a few milliseconds.
    """
    gate = Gate(admit)
    if gate.register(ctypes.CDLL(binding)):
        gate.prove(bound, pump)
    return gate


def _read_source(rdata: int) -> str:
    raw = ctypes.string_at(rdata + _SOURCE, _SOURCE_BYTES)
    return raw.split(b"\0", 1)[0].decode("latin-1")


def _probe(address: str, port: int) -> bytes:
    return (
        f"OPTIONS sip:probe@{address} SIP/2.0\r\n"
        f"Via: SIP/2.0/UDP {address}:{port};branch=z9hG4bKprobe{port}\r\n"
        f"Max-Forwards: 0\r\nFrom: <sip:probe@{address}>;tag=probe\r\n"
        f"To: <sip:probe@{address}>\r\nCall-ID: probe-{port}\r\nCSeq: 1 OPTIONS\r\n"
        "Content-Length: 0\r\n\r\n"
    ).encode()
