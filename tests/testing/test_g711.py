"""G.711 against values of the standard's tables (tables 1a to 2b, scaled to 16 bit)."""

import numpy as np
import pytest

from appliance.testing.g711 import decode, encode

ALL_CODES = bytes(range(256))
ALL_SAMPLES = np.arange(-32768, 32768).astype(np.int16)


def samples(*values: int) -> np.ndarray:
    return np.array(values, np.int16)


@pytest.mark.parametrize(
    ("codec", "code", "value"),
    [
        ("PCMU", 0xFF, 0),
        ("PCMU", 0x7F, 0),
        ("PCMU", 0x80, 32124),
        ("PCMU", 0x00, -32124),
        ("PCMU", 0xFE, 8),
        ("PCMU", 0xF0, 120),
        ("PCMU", 0xEF, 132),
        ("PCMA", 0xD5, 8),
        ("PCMA", 0x55, -8),
        ("PCMA", 0xAA, 32256),
        ("PCMA", 0x2A, -32256),
        ("PCMA", 0xD4, 24),
        ("PCMA", 0xC5, 264),
        ("PCMA", 0xF5, 528),
    ],
)
def test_known_values(codec: str, code: int, value: int) -> None:
    assert decode(bytes([code]), codec)[0] == value
    if code != 0x7F:  # minus zero is decoded, never encoded
        assert encode(samples(value), codec)[0] == code


@pytest.mark.parametrize(("codec", "code"), [("PCMU", 0xFF), ("PCMA", 0xD5)])
def test_silence(codec: str, code: int) -> None:
    assert encode(samples(0, 0), codec) == bytes([code, code])


@pytest.mark.parametrize(("codec", "codes"), [("PCMU", (0x80, 0x00)), ("PCMA", (0xAA, 0x2A))])
def test_full_scale_saturates(codec: str, codes: tuple[int, int]) -> None:
    assert encode(samples(32767, -32768), codec) == bytes(codes)


@pytest.mark.parametrize("codec", ["PCMU", "PCMA"])
def test_every_code_survives(codec: str) -> None:
    again = encode(decode(ALL_CODES, codec), codec)
    changed = [code for code in ALL_CODES if again[code] != code]
    assert changed == ([0x7F] if codec == "PCMU" else [])


@pytest.mark.parametrize("codec", ["PCMU", "PCMA"])
def test_louder_never_decodes_quieter(codec: str) -> None:
    decoded = decode(encode(ALL_SAMPLES, codec), codec).astype(int)
    assert (np.diff(decoded) >= 0).all()


@pytest.mark.parametrize("codec", ["PCMU", "PCMA"])
def test_error_is_half_a_step(codec: str) -> None:
    value = np.abs(ALL_SAMPLES.astype(int))
    error = np.abs(decode(encode(ALL_SAMPLES, codec), codec).astype(int) - ALL_SAMPLES)
    step = 2.0 ** np.maximum(np.floor(np.log2(value + 132)) - 4, 4 if codec == "PCMA" else 3)
    inside = value < 32124
    assert (error[inside] <= step[inside]).all()
    assert error.max() <= 32768 - 32124


def test_other_than_int16_is_refused() -> None:
    with pytest.raises(ValueError, match="int16 samples, not float64"):
        encode(np.zeros(3), "PCMU")
