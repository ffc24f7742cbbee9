"""What a telephone codec does to sound: coded and decoded again, for tests and training.

    float32 8 kHz -> G.711 by table | GSM 06.10 by libsndfile | G.722 and AMR by ffmpeg -> back

The line process codes real calls itself; nothing here runs during a call. It exists so that a
recognizer is trained and judged on what arrives, not on what was said. ffmpeg (PyAV) and libsndfile
are imported where they are used: the appliance starts without them.
"""

from __future__ import annotations

import functools
import io
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from appliance.audio.level import FULL_SCALE, Samples
from appliance.audio.resample import resample
from appliance.types import LINE_RATE_HZ

Codec = Literal["linear", "pcmu", "pcma", "gsm", "g722", "amr"]
CODECS: tuple[Codec, ...] = get_args(Codec)
"""linear: 16 bit samples, no loss. amr: AMR narrow band at 12.2 kbit/s, what mobiles send."""

_WIDE_RATE_HZ = 16000  # G.722
_AMR_BITS_S = 12200
_MU_BIAS = 0x84


def round_trip(samples: Samples, codec: Codec) -> Samples:
    """Code and decode.

    Args:
        samples: float32 mono at LINE_RATE_HZ, shape [n]; beyond [-1, 1] it is clipped.
        codec: one of `CODECS`.

    Returns:
        float32 mono at LINE_RATE_HZ, shape [n].

    Raises:
        ValueError: no such codec.
    """
    if codec not in CODECS:
        raise ValueError(f"no codec {codec!r}; there are {', '.join(CODECS)}")
    pcm = _to_int16(samples)
    if codec in {"pcmu", "pcma"}:
        return _g711(codec)[pcm.view(np.uint16)]
    if codec == "gsm":
        back = _gsm(pcm)
    elif codec == "g722":
        back = _g722(samples)
    elif codec == "amr":
        back = _ffmpeg(pcm, "libopencore_amrnb", "amrnb", LINE_RATE_HZ)
    else:
        back = (pcm / FULL_SCALE).astype(np.float32)
    return _fit(back, len(samples))


@functools.cache
def _g711(codec: str) -> Samples:
    """For each 16 bit sample (its bits read as unsigned) what comes back: the nearest code.

    Codes by the piecewise definitions of ITU-T G.711, tables 1 and 2.
    """
    code = np.arange(128)
    step, segment = code & 0x0F, code >> 4
    if codec == "pcmu":
        sizes = (((step << 3) + _MU_BIAS) << segment) - _MU_BIAS
    else:
        low = (step << 4) + 8
        sizes = np.where(segment == 0, low, (low + 0x100) << np.maximum(segment - 1, 0))
    sizes = np.sort(sizes)
    middles = (sizes[:-1] + sizes[1:]) / 2
    sample = np.arange(65536, dtype=np.uint16).view(np.int16).astype(np.int32)
    size = sizes[np.searchsorted(middles, np.abs(sample), side="right")]
    return (np.where(sample < 0, -size, size) / FULL_SCALE).astype(np.float32)


def _gsm(pcm: NDArray[np.int16]) -> Samples:
    import soundfile  # noqa: PLC0415  (see the module's docstring)

    coded = io.BytesIO()
    soundfile.write(coded, pcm, LINE_RATE_HZ, format="WAV", subtype="GSM610")
    coded.seek(0)
    return np.asarray(soundfile.read(coded, dtype="float32")[0])


def _g722(samples: Samples) -> Samples:
    wide = _to_int16(resample(np.asarray(samples, np.float32), LINE_RATE_HZ, _WIDE_RATE_HZ))
    return resample(_ffmpeg(wide, "g722", "g722", _WIDE_RATE_HZ), _WIDE_RATE_HZ, LINE_RATE_HZ)


def _ffmpeg(pcm: NDArray[np.int16], encoder: str, decoder: str, rate_hz: int) -> Samples:
    import av  # noqa: PLC0415  (see the module's docstring)

    coder: Any = av.CodecContext.create(encoder, "w")
    coder.sample_rate, coder.layout, coder.format = rate_hz, "mono", "s16"
    if encoder != "g722":
        coder.bit_rate = _AMR_BITS_S
    coder.open()
    back: Any = av.CodecContext.create(decoder, "r")
    back.sample_rate, back.layout = rate_hz, "mono"
    back.open()
    size = coder.frame_size or rate_hz // 50
    padded = np.pad(pcm, (0, -len(pcm) % size))
    packets = []
    for start in range(0, len(padded), size):
        frame = av.AudioFrame.from_ndarray(
            padded[None, start : start + size], format="s16", layout="mono"
        )
        frame.sample_rate, frame.pts = rate_hz, start
        packets += coder.encode(frame)
    packets += coder.encode(None)
    heard = [frame.to_ndarray()[0] for packet in packets for frame in back.decode(packet)]
    joined = np.concatenate(heard) if heard else np.zeros(0, np.int16)
    scale = FULL_SCALE if joined.dtype == np.int16 else 1.0
    return (joined / scale).astype(np.float32)


def _to_int16(samples: Samples) -> NDArray[np.int16]:
    limited = np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    return np.asarray(limited, np.int16)


def _fit(samples: Samples, length: int) -> Samples:
    """Coders pad to whole frames or hold a few samples back."""
    return np.pad(samples[:length], (0, max(0, length - len(samples)))).astype(np.float32)
