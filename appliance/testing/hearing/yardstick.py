"""pocketsphinx as a yardstick: another free recognizer on the same samples.

With the US English models of its wheel. They are made for 16 kHz: the telephone's sound is
resampled, as anybody would do who put it on a telephone line. Where digits are asked for it gets a
grammar of exactly so many digits, which it is far better with than with its language model.
"""

from __future__ import annotations

import time

from appliance.audio.level import to_float, to_pcm
from appliance.audio.resample import resample
from appliance.errors import ConfigError
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.types import LINE_RATE_HZ, Transcript

_RATE_HZ = 16000
_ONE = "zero | oh | one | two | three | four | five | six | seven | eight | nine"


class Sphinx:
    """A `Recognizer` of pocketsphinx. For one thread."""

    def __init__(self) -> None:
        """Load the models; seconds.

        Raises:
            ConfigError: pocketsphinx is not installed.
        """
        try:
            import pocketsphinx  # noqa: PLC0415  (of an extra)
        except ImportError as error:
            raise ConfigError(
                "the yardstick needs pocketsphinx: pip install 'voice-appliance[yardstick]'"
            ) from error
        self._decoder = pocketsphinx.Decoder(samprate=_RATE_HZ, loglevel="FATAL")
        self._general = str(self._decoder.current_search())
        self._known: set[str] = set()

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        """See `Recognizer.recognize`. There is no confidence: 1."""
        del partial
        began = time.perf_counter()
        self._decoder.activate_search(self._search(hint))
        samples = resample(to_float(pcm), LINE_RATE_HZ, _RATE_HZ)
        self._decoder.start_utt()
        self._decoder.process_raw(to_pcm(samples), full_utt=True)
        self._decoder.end_utt()
        found = self._decoder.hyp()
        text = found.hypstr.lower() if found else ""
        return Transcript(text, 1.0, (time.perf_counter() - began) * 1000)

    def _search(self, hint: Hint) -> str:
        if hint.digits is None:
            return self._general
        name = f"digits-{hint.digits}"
        if name not in self._known:
            whole = " ".join(["<one>"] * hint.digits)
            self._decoder.add_jsgf_string(
                name, f"#JSGF V1.0;\ngrammar digits;\npublic <whole> = {whole};\n<one> = {_ONE};\n"
            )
            self._known.add(name)
        return name
