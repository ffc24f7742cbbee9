"""baresip as the PBX: a client written by other people, with TLS and SRTP, over real RTP."""

from __future__ import annotations

import asyncio
import contextlib
import wave
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .box import need_tool

_MODULE_FOLDERS = ("/usr/lib/x86_64-linux-gnu/baresip/modules", "/usr/lib/baresip/modules")
TONE_HZ, RATE_HZ = 440, 8000
ADDRESS = "127.0.0.1"
PORTS = 22
_CONFIG = """
sip_listen {address}:{port}
net_interface {address}
rtp_ports {first}-{last}
sip_cafile {trusted}
sip_verify_server yes
sip_certificate {own}
module_path {modules}
module g711.so
module aufile.so
module aubridge.so
module sndfile.so
module srtp.so
module_app account.so
module_app menu.so
audio_source aufile,{folder}/tone.wav
audio_player aubridge,nobody
audio_alert aubridge,nobody
ausrc_srate 8000
auplay_srate 8000
ausrc_channels 1
auplay_channels 1
snd_path {folder}
"""


@dataclass(frozen=True)
class Phone:
    """How it is set up.

    Attributes:
        folder: its own.
        port: the first of PORTS free ones; TLS is taken at the next.
        transport: udp, tcp or tls.
        encryption: baresip's `mediaenc`, or nothing.
        trusted: certificate that the edge's must be signed by.
        own: certificate and key of its own, for calls that come in by TLS.
    """

    folder: Path
    port: int
    transport: str
    encryption: str
    trusted: Path
    own: Path

    @property
    def listens(self) -> str:
        """HOST:PORT where it takes calls."""
        return f"{ADDRESS}:{self.port + (self.transport == 'tls')}"

    @contextlib.asynccontextmanager
    async def running(self, *commands: str) -> AsyncIterator[None]:
        """Run it until the end of the block; it answers calls."""
        self._write()
        with (self.folder / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                need_tool("baresip"), "-s", "-f", str(self.folder),
                *(part for command in commands for part in ("-e", command)),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
            try:
                async with asyncio.timeout(10):
                    while "baresip is ready" not in self.log:
                        await asyncio.sleep(0.05)
                yield
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                await asyncio.wait_for(process.wait(), 10)

    @property
    def log(self) -> str:
        """What it said, with all SIP messages."""
        return (self.folder / "log").read_text(errors="replace")

    def heard_hz(self) -> float:
        """The loudest frequency of what it heard."""
        (recording,) = self.folder.glob("dump-*-dec.wav")
        with wave.open(str(recording), "rb") as file:
            pcm = file.readframes(file.getnframes())
        return loudest_hz(pcm)

    def _write(self) -> None:
        self.folder.mkdir()
        modules = next(path for path in _MODULE_FOLDERS if Path(path).is_dir())
        text = _CONFIG.format(
            address=ADDRESS, port=self.port, first=self.port + 2, last=self.port + PORTS - 1,
            trusted=self.trusted, own=self.own, modules=modules, folder=self.folder,
        )  # fmt: skip
        (self.folder / "config").write_text(text)
        secured = f";mediaenc={self.encryption}" if self.encryption else ""
        (self.folder / "accounts").write_text(
            f"<sip:pbx@{ADDRESS};transport={self.transport}>;regint=0;answermode=auto{secured}\n"
        )
        (self.folder / "contacts").write_text("")
        with wave.open(str(self.folder / "tone.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE_HZ)
            file.writeframes(_tone().astype("<i2").tobytes())


def loudest_hz(pcm: bytes) -> float:
    """Of s16le at RATE_HZ."""
    samples = np.frombuffer(pcm, dtype="<i2").astype(float)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.fft.rfftfreq(len(samples), 1 / RATE_HZ)[int(spectrum.argmax())])


def _tone() -> Any:
    return 8000 * np.sin(2 * np.pi * TONE_HZ * np.arange(RATE_HZ * 10) / RATE_HZ)
