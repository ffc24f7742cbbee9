"""baresip calls the line and hears itself: a client written by other people, over real RTP."""

from __future__ import annotations

import asyncio
import contextlib
import wave
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.telephony.call import LineCall, LineEvent
from appliance.telephony.messages import Audio, CallDown, CallUp

Play = Callable[[Callable[[], Awaitable[None]]], None]
MODULE_FOLDERS = ("/usr/lib/x86_64-linux-gnu/baresip/modules", "/usr/lib/baresip/modules")
CONFIG = """
sip_listen 127.0.0.1:{port}
net_interface 127.0.0.1
rtp_ports {first}-{last}
module_path {modules}
module {codec}.so
module aufile.so
module aubridge.so
module sndfile.so
module_app account.so
module_app menu.so
audio_source aufile,{folder}/tone.wav
audio_player aubridge,nobody
audio_alert aubridge,nobody
ausrc_srate {rate}
auplay_srate {rate}
ausrc_channels 1
auplay_channels 1
snd_path {folder}
"""


def write_tone(path: Path, hz: float, rate: int) -> None:
    samples = 8000 * np.sin(2 * np.pi * hz * np.arange(rate * 10) / rate)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())


def loudest_hz(pcm: bytes, rate: int) -> float:
    samples = np.frombuffer(pcm, dtype="<i2").astype(float)
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.fft.rfftfreq(len(samples), 1 / rate)[int(spectrum.argmax())])


@pytest.mark.parametrize(
    ("codec", "name", "rate"), [("g711", "PCMU", 8000), ("g722", "G722", 16000)]
)
def test_baresip_hears_itself(
    rig: Any, play: Play, tmp_path: Path, codec: str, name: str, rate: int
) -> None:
    binary = rig.need_tool("baresip")
    first = rig.free_rtp_ports()
    config = CONFIG.format(
        port=rig.free_port(),
        first=first,
        last=first + 19,
        modules=next(folder for folder in MODULE_FOLDERS if Path(folder).is_dir()),
        folder=tmp_path,
        codec=codec,
        rate=rate,
    )
    (tmp_path / "config").write_text(config)
    (tmp_path / "accounts").write_text("<sip:baresip@127.0.0.1>;regint=0\n")
    (tmp_path / "contacts").write_text("")
    write_tone(tmp_path / "tone.wav", 440, rate)
    ticks = 0

    def echo_two_seconds(call: LineCall, event: LineEvent) -> None:
        nonlocal ticks
        rig.echo(call, event)
        ticks += isinstance(event, Audio)
        if ticks == 100:
            call.hang_up()

    async def scenario() -> None:
        async with rig.agent(rig.config(), echo_two_seconds) as agent:
            with (tmp_path / "baresip.log").open("wb") as log:
                process = await asyncio.create_subprocess_exec(
                    binary, "-f", str(tmp_path), "-e", f"d {agent.uri}",
                    stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                )  # fmt: skip
                try:
                    assert (await agent.until_event(CallUp)).codec == name
                    assert (await agent.until_event(CallDown)).by == "agent"
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        process.terminate()
                    await asyncio.wait_for(process.wait(), 10)
            heard_here = bytes(agent.audio[agent.calls[0].key])
            assert abs(loudest_hz(heard_here, 8000) - 440) < 5

    play(scenario)
    (recording,) = tmp_path.glob("dump-*-dec.wav")
    with wave.open(str(recording), "rb") as file:
        heard_there = file.readframes(file.getnframes())
        assert file.getframerate() == rate
    assert len(heard_there) > rate * 2  # more than a second
    assert abs(loudest_hz(heard_there, rate) - 440) < 5
