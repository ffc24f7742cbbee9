"""The SIP stack of a line process: its one endpoint, transport, codecs and ports, as we want them.

The values come from measurements on this build: the jitter buffer 0/0/40/200 gave the lowest
delay at 15 ms jitter, `noVad` keeps sending in silence, no echo canceller, no sound device.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

import pjsua2 as pj
from pjsua2 import _pjsua2

from appliance.config import RTP_PORTS, LineConfig
from appliance.errors import ConfigError
from appliance.telephony.frames import FrameAccess
from appliance.telephony.messages import FromLine
from appliance.telephony.port import CallPort
from appliance.types import FRAME_MS, LINE_RATE_HZ

SLOTS = 4
"""PJSUA_MAX_CALLS as compiled in: a slot is left over to refuse the call after `max_calls`."""

DSCP_SIGNALLING, DSCP_VOICE = 24, 46
"""Class selector 3 and expedited forwarding (RFC 4594)."""

_CODEC_IDS = {"PCMU": "PCMU/8000/1", "PCMA": "PCMA/8000/1", "G722": "G722/16000/1"}
_TOP_PRIORITY = 250


def start_endpoint(config: LineConfig) -> pj.Endpoint:
    """Create and start the stack, bound to the configured address.

    Raises:
        ConfigError: the port is taken or the address is not of this machine.
    """
    ctypes.CDLL(_pjsua2.__file__).pj_log_set_level(0)  # else libCreate prints before libInit
    endpoint = pj.Endpoint()
    endpoint.libCreate()
    endpoint.libInit(_stack_settings())
    transport = pj.TransportConfig()
    transport.port = config.port
    _bind(transport, config, DSCP_SIGNALLING)
    try:
        endpoint.transportCreate(pj.PJSIP_TRANSPORT_UDP, transport)
    except pj.Error as error:
        raise ConfigError(
            f"line.port: cannot listen on {config.address}:{config.port} (UDP): {error.reason}; "
            "choose another line.port or line.address, or end what holds it"
        ) from error
    endpoint.libStart()
    endpoint.audDevManager().setNullDev()
    _set_codecs(endpoint, config)
    return endpoint


def sip_sockets(config: LineConfig) -> list[int]:
    """File descriptors that SIP comes in by, to wait on; pjsua2 does not tell them."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(int(entry.name))) as sock:
            if sock.type == socket.SOCK_DGRAM and sock.getsockname()[1:2] == (config.port,):
                found.append(int(entry.name))
    return found


def media_transport(config: LineConfig) -> pj.TransportConfig:
    """Where calls' RTP binds."""
    transport = pj.TransportConfig()
    transport.port = config.rtp_port
    transport.portRange = RTP_PORTS
    _bind(transport, config, DSCP_VOICE)
    return transport


def make_ports(
    endpoint: pj.Endpoint,
    frames: FrameAccess,
    send: Callable[[FromLine], None],
    noise: Sequence[array[int]],
) -> list[CallPort]:
    """One port for every slot, each ticking against the null device."""
    ports = [CallPort(f"agent-{slot}", frames, send, noise) for slot in range(SLOTS)]
    for port in ports:
        port.startTransmit(endpoint.audDevManager().getPlaybackDevMedia())
    return ports


def _stack_settings() -> pj.EpConfig:
    settings = pj.EpConfig()
    settings.uaConfig.maxCalls = SLOTS
    settings.uaConfig.threadCnt = 0
    settings.uaConfig.mainThreadOnly = True
    settings.uaConfig.userAgent = "voice-appliance"
    settings.uaConfig.mwiUnsolicitedEnabled = False
    settings.logConfig.level = 0  # level 1 reports every malformed packet and taken RTP port
    settings.logConfig.consoleLevel = 0
    settings.logConfig.msgLogging = 0
    media = settings.medConfig
    media.clockRate = media.sndClockRate = LINE_RATE_HZ
    media.channelCount = 1
    media.audioFramePtime = media.ptime = FRAME_MS
    media.noVad = True
    media.ecTailLen = 0
    media.sndAutoCloseTime = -1
    media.jbInit, media.jbMinPre, media.jbMaxPre, media.jbMax = 0, 0, 40, 200
    return settings


def _bind(transport: pj.TransportConfig, config: LineConfig, dscp: int) -> None:
    transport.boundAddress = config.address
    if config.public_address:
        transport.publicAddress = config.public_address
    transport.qosParams.flags = pj.PJ_QOS_PARAM_HAS_DSCP
    transport.qosParams.dscp_val = dscp


def _set_codecs(endpoint: pj.Endpoint, config: LineConfig) -> None:
    for codec in endpoint.codecEnum2():
        endpoint.codecSetPriority(codec.codecId, 0)
    for rank, name in enumerate(config.codecs):
        endpoint.codecSetPriority(_CODEC_IDS[name], _TOP_PRIORITY - rank)
