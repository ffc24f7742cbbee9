"""The piper-tts adapter: any Piper voice, made to sound alike on the telephone.

    text -> espeak phones -> ONNX voice -> pitch, telephone rate -> `sound.TelephoneSound` -> s16le

Piper's own peak normalisation is off: it makes short words as loud as long sentences.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np
import onnxruntime
from piper import AudioChunk, PhonemeType, PiperConfig, PiperVoice, SynthesisConfig
from piper.voice import PhonemeAlignment

from appliance.audio.fades import fade_ends
from appliance.audio.level import Samples, apply_gain
from appliance.audio.resample import resample
from appliance.config import SpeakingConfig
from appliance.errors import ConfigError, EngineError
from appliance.tts.casting import Cast
from appliance.tts.pauses import pause, spare_quiet
from appliance.tts.phones import phonemize_given, sayable, without_phones
from appliance.tts.settings import check_cast, settings_of
from appliance.tts.sound import CHAIN, TelephoneSound
from appliance.tts.spoken import runs_of
from appliance.tts.voice import Phone, Spoken
from appliance.types import LINE_RATE_HZ

_CALIBRATION = "Hello, this is a short sentence that sets how loud the voice is."
_LOADED: WeakValueDictionary[tuple[Path, int, int, int], PiperVoice] = WeakValueDictionary()
_LOADING = Lock()
_RENDERING = "3"  # raise when what follows changes what a text sounds like; `CHAIN` likewise
_LEAD_MS = 10  # of quiet before the first sound: a burst begins softly


class PiperSpeaker:
    """One voice for all calls; onnxruntime sessions may be run from several threads."""

    def __init__(self, config: SpeakingConfig, cast: Cast) -> None:
        """Load the voice and measure its level.

        Args:
            config: the box's speaking.
            cast: which voice, and how it is to sound.

        Raises:
            ConfigError: the files are missing, are no Piper voice, speak another language, or have
                no such speaker.
        """
        self._speaker_id = check_cast(cast).speaker_id(cast.speaker)
        self._voice = _load(cast, config.threads)
        self._pitch, self._speed = cast.pitch, cast.speed
        try:
            self._sound = TelephoneSound(config.level_dbm0, self._speak(_CALIBRATION)[0])
        except ValueError as error:
            raise ConfigError(f"{cast.key}: {cast.file} {error}") from error
        digest = hashlib.sha256(cast.file.read_bytes())
        digest.update(settings_of(cast.file).read_bytes())
        own = "" if cast.pitch == 1 else f" {cast.pitch}"
        own += "" if cast.speed == 1 else f" speed {cast.speed}"
        own += "" if self._speaker_id is None else f" speaker {self._speaker_id}"
        digest.update(f"{config.level_dbm0} {LINE_RATE_HZ} {_RENDERING}.{CHAIN}{own}".encode())
        self._identity = digest.hexdigest()

    @property
    def identity(self) -> str:
        """See `Voice.identity`."""
        return self._identity

    def synthesize(self, text: str) -> bytes:
        """See `Voice.synthesize`."""
        return self.timed(text).pcm

    def timed(self, text: str) -> Spoken:
        """See `Voice.timed`; the timings are a second output of the network, if it has one."""
        samples, phones = self._speak(text)
        return Spoken(self._sound.finish(samples), phones)

    def wide(self, text: str) -> tuple[Samples, int]:
        """What the voice gives before the telephone takes most of it, and its rate in Hz.

        For an operator who judges a voice; calls hear `synthesize`.

        Raises:
            EngineError: as `synthesize`.
        """
        with _engine_errors(text):
            chunks, rate_hz = self._chunks(text)
            given = _joined(chunks)
            own_hz = self._voice.config.sample_rate
            return apply_gain(resample(given, rate_hz, own_hz), self._sound.gain_db), own_hz

    def lacking(self, text: str) -> tuple[str, ...]:
        """The phones of a text that this voice does not know; it leaves them out.

        Raises:
            EngineError: the text cannot be turned into phones.
        """
        known = self._voice.config.phoneme_id_map
        with _engine_errors(text):
            read = (self._voice.phonemize(run.text) for run in runs_of(text))
            phones = {phone for run in read for sentence in run for phone in sentence}
            return tuple(sorted(phones - known.keys()))

    def _speak(self, text: str) -> tuple[Samples, tuple[Phone, ...]]:
        with _engine_errors(text):
            chunks, rate_hz = self._chunks(text)
            chunks = _entered(chunks, rate_hz)
            return resample(_joined(chunks), rate_hz, LINE_RATE_HZ), _phones(chunks, rate_hz)

    def _chunks(self, text: str) -> tuple[list[AudioChunk], int]:
        """What the network gives, and the rate in Hz at which it has the wanted pitch.

        Spoken faster and played slower (or the other way round), pitch and throat change together,
        as between people, and the length stays what it was.
        """
        plain = self._voice.config
        rate_hz = round(plain.sample_rate * self._pitch)
        length = plain.length_scale * self._pitch / self._speed
        chunks: list[AudioChunk] = []
        waiting_ms = 0
        for run in runs_of(text):
            settings = SynthesisConfig(
                speaker_id=self._speaker_id, normalize_audio=False, length_scale=length / run.rate
            )
            spoken = self._voice.synthesize(run.text, settings, include_alignments=True)
            chunks = _with_pause(chunks, waiting_ms, list(spoken), rate_hz)
            waiting_ms = run.pause_ms
        chunks = _with_pause(chunks, waiting_ms, [], rate_hz)
        if not chunks:
            raise EngineError("the voice returned no audio")
        return chunks, rate_hz


class _MarkedVoice(PiperVoice):
    """A Piper voice that says given phones as a part of their sentence; see `phones`."""

    def phonemize(self, text: str) -> list[list[str]]:
        if self.config.phoneme_type != PhonemeType.ESPEAK:
            return super().phonemize(without_phones(text))
        clusters = frozenset(self.config.vowel_clusters or ())
        known = sayable(text, self.config.phoneme_id_map, clusters)
        return phonemize_given(known, super().phonemize, clusters)


def _entered(chunks: list[AudioChunk], rate_hz: int) -> list[AudioChunk]:
    """Without the quiet that a voice begins with: the caller would wait for it in every answer."""
    first = chunks[0]
    spare = spare_quiet(first.audio_float_array, rate_hz, at_end=False, kept_ms=_LEAD_MS)
    return [_trimmed(first, spare, 0), *chunks[1:]]


def _joined(chunks: Sequence[AudioChunk]) -> Samples:
    """One after another, without a step where a sentence or a pause begins."""
    pieces = (fade_ends(chunk.audio_float_array, rate_hz=chunk.sample_rate) for chunk in chunks)
    return np.concatenate(list(pieces))


def _with_pause(
    before: list[AudioChunk], pause_ms: int, after: list[AudioChunk], rate_hz: int
) -> list[AudioChunk]:
    """Chunks of two runs with that much quiet between them; 0 leaves it as it is."""
    if not pause_ms:
        return [*before, *after]
    wanted = pause_ms * rate_hz // 1000
    filling = np.zeros(0, np.float32)
    if before:
        spare = spare_quiet(before[-1].audio_float_array, rate_hz, at_end=True)
        filling = before[-1].audio_float_array[len(before[-1].audio_float_array) - spare :]
        before = [*before[:-1], _trimmed(before[-1], 0, spare)]
    if after:
        spare = spare_quiet(after[0].audio_float_array, rate_hz, at_end=False)
        after = [_trimmed(after[0], spare, 0), *after[1:]]
    timed = [PhonemeAlignment(" ", [], wanted)]
    quiet = AudioChunk(rate_hz, 2, 1, pause(wanted, filling), [" "], [], phoneme_alignments=timed)
    return [*before, quiet, *after]


def _trimmed(chunk: AudioChunk, head: int, tail: int) -> AudioChunk:
    """A chunk without samples at its ends, and its timings without them."""
    samples = chunk.audio_float_array
    timed = chunk.phoneme_alignments
    if timed:
        ends = np.cumsum([0, *(int(each.num_samples) for each in timed)])
        kept = np.diff(np.clip(ends, head, max(head, ends[-1] - tail)))
        timed = [replace(each, num_samples=int(n)) for each, n in zip(timed, kept, strict=True)]
    return replace(
        chunk, audio_float_array=samples[head : len(samples) - tail], phoneme_alignments=timed
    )


def _phones(chunks: Sequence[AudioChunk], rate_hz: int) -> tuple[Phone, ...]:
    """The phones of all chunks, timed at LINE_RATE_HZ; none if a chunk has no timings."""
    symbols, ends, at = [], [0], 0
    for chunk in chunks:
        if not chunk.phoneme_alignments:
            return ()
        start = at
        for each in chunk.phoneme_alignments:
            at += int(each.num_samples)
            symbols.append(each.phoneme)
            ends.append(round(at * LINE_RATE_HZ / rate_hz))
        if at - start != len(chunk.audio_float_array):  # `hop_length` is not this voice's
            return ()
    lengths = np.diff(ends)
    return tuple(Phone(name, int(samples)) for name, samples in zip(symbols, lengths, strict=True))


def _load(cast: Cast, threads: int) -> PiperVoice:
    """The network of a file; personas that share the file share it."""
    state = cast.file.stat()
    key = (cast.file.resolve(), state.st_mtime_ns, state.st_size, threads)
    with _LOADING:
        found = _LOADED.get(key)
        if found is None:
            found = _LOADED[key] = _read(cast, threads)
    return found


def _read(cast: Cast, threads: int) -> PiperVoice:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        settings = PiperConfig.from_dict(json.loads(settings_of(cast.file).read_text("utf-8")))
        session = onnxruntime.InferenceSession(
            str(cast.file), sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise ConfigError(f"{cast.key}: {cast.file} cannot be loaded: {error}") from error
    return _MarkedVoice(session=session, config=settings)


@contextmanager
def _engine_errors(text: str) -> Iterator[None]:
    """Whatever espeak or onnxruntime raises on one text; they share no base class."""
    try:
        yield
    except EngineError:
        raise
    except ValueError as error:  # of marks: the message quotes the text, and errors go to logs
        raise EngineError(f"voice failed on {len(text)} characters: their marks, or IPA") from error
    except Exception as error:
        raise EngineError(f"voice failed on {len(text)} characters: {error}") from error
