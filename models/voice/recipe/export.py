r"""Stage 6: one ONNX file and its JSON, as `piper.PiperVoice.load` wants them.

    python -m models.voice.recipe.export --work FOLDER --voice NAME --output voice.onnx \
        [--vocoder adversarial.pt] [--full]

Inputs: `input` int64 [1, N], `input_lengths` int64 [1], `scales` float32 [3] (noise, length,
noise_w; only the length is used). Outputs: audio float32 [1, 1, samples] in [-1, 1] and frames of
256 samples for each id [1, N]. Equal input gives equal audio: the noise is part of the model.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from models.voice.recipe.acoustic import AcousticModel, repeat_by_duration
from models.voice.recipe.settings import (
    HOP,
    SAMPLE_RATE_HZ,
    VoiceSettings,
    load_settings,
)
from models.voice.recipe.text import PHONE_SETS, Vocabulary, vowel_clusters
from models.voice.recipe.train_adversarial import load_acoustic
from models.voice.recipe.vocoder import (
    BINS,
    NOISE_SECONDS,
    WINDOW,
    Vocoder,
    overlap_add,
    split_frames,
)

OPSET = 17
LEAD_FRAMES = 2.0
"""Most silence before the first phone, 32 ms: a caller waits for every frame of it."""
SHORTEST_FRAMES = 0.4
"""A token predicted shorter than this is not said (nearly all are word gaps)."""


RISING_LONGER = 0.5
"""How much longer a vowel is on which a question rises: a rise in no time sounds like a crack."""
HEARD_RISE = 1.5
"""Deviations of pitch that the decoder is told of a rise, so that the mel goes with it. By itself
it rises too little: no recording ends high."""


class MatrixTransform(nn.Module):
    """`vocoder.FastTransform` by matrices, because the FFT of opset 17 has no real inverse.

    The matrices are computed inside the graph from 512 cosines, so the file need not hold them;
    onnxruntime folds them into constants when it loads the voice.
    """

    window: Tensor
    cosine: Tensor

    def __init__(self) -> None:
        super().__init__()
        turn = 2 * np.pi * np.arange(WINDOW) / WINDOW
        self.register_buffer("cosine", torch.tensor(np.cos(turn), dtype=torch.float32))
        self.register_buffer("window", torch.hann_window(WINDOW))

    def matrices(self) -> tuple[Tensor, Tensor]:
        """cos and −sin of 2π·bin·sample / 512, [257, 512]."""
        angle = torch.arange(BINS).unsqueeze(1) * torch.arange(WINDOW).unsqueeze(0)
        quarter = WINDOW // 4
        return self.cosine[angle % WINDOW], self.cosine[(angle + quarter) % WINDOW]

    def forward(self, audio: Tensor) -> tuple[Tensor, Tensor]:
        cosine, sine = self.matrices()
        frames = split_frames(audio) * self.window
        return frames @ cosine.T, frames @ sine.T

    def inverse(self, real: Tensor, imaginary: Tensor) -> Tensor:
        cosine, sine = self.matrices()
        # A real signal: all bins but the first and the last stand for their mirror images too.
        edge = (torch.arange(BINS) % (BINS - 1) == 0).to(real.dtype)
        share = (2 - edge) / WINDOW
        frames = (real * share) @ cosine + (imaginary * share) @ sine
        return overlap_add(frames * self.window / 1.5)


class Voice(nn.Module):
    """Tokens to audio, with the prosody mended on the way."""

    vowels: Tensor
    noise: Tensor

    def __init__(
        self,
        acoustic: AcousticModel,
        vocoder: Vocoder,
        vocabulary: Vocabulary,
        settings: VoiceSettings,
    ) -> None:
        super().__init__()
        self.acoustic = acoustic
        self.vocoder = vocoder
        self.vocoder.transform = MatrixTransform()
        self.spread, self.rise = settings.pitch_spread, settings.question_rise_st
        self.question = vocabulary.ids["?"]
        self.beginning = vocabulary.ids["^"]
        self.base = {base: index for index, base in enumerate(vocabulary.bases)}
        phones = PHONE_SETS[settings.language]
        vowels = [base in phones.vowels or base in phones.long for base in vocabulary.bases]
        self.register_buffer("vowels", torch.tensor(vowels, dtype=torch.float32))
        generator = torch.Generator().manual_seed(3)
        noise = torch.randn(SAMPLE_RATE_HZ * NOISE_SECONDS, generator=generator)
        self.register_buffer("noise", noise)

    def asks_for_word(self, ids: Tensor) -> Tensor:
        """True [] where the sentence begins with what, when, where, why, which, who or how.

        Such a question falls in English, so it gets no rise.
        """
        start = torch.cat([self.acoustic.parts[ids[0], 0], torch.zeros(3, dtype=torch.int64)])
        first, second, third = start[1], start[2], start[3]
        base = self.base
        after_w = (
            ((second == base["ʌ"]) & (third == base["t"]))
            | ((second == base["ɛ"]) & ((third == base["n"]) | (third == base["ɹ"])))
            | (second == base["aɪ"])
            | ((second == base["ɪ"]) & (third == base["tʃ"]))
        )
        after_h = (second == base["uː"]) | (second == base["aʊ"])
        return ((first == base["w"]) & after_w) | ((first == base["h"]) & after_h)

    def question_ramp(self, ids: Tensor, place: Tensor) -> Tensor:
        """How far a yes/no question has risen at each place: 0 to 1, all 0 in what is none.

        The rise begins at the last syllable with primary stress and ends with the last vowel.
        `place` counts tokens; between two of them it has a fraction.
        """
        token = torch.arange(ids.shape[1], dtype=torch.float32)
        stressed = (self.acoustic.parts[ids[0], 1] == 1).to(torch.float32)
        nucleus = (token * stressed).max()
        top = (token * self.vowels[self.acoustic.parts[ids[0], 0]]).max() + 1.0
        ramp = (place - nucleus) / (top - nucleus).clamp(min=1.0)
        asks = (ids[0] == self.question).any() & ~self.asks_for_word(ids)
        # Most of the way at once: a rise that comes only with the last phone is not noticed.
        ramp = ramp.clamp(0.0, 1.0)
        return ramp * (2.0 - ramp) * asks.to(torch.float32)

    def durations(self, log_frames: Tensor, ids: Tensor, length_scale: Tensor) -> Tensor:
        """Predicted log(1 + frames) [1, N] → whole frames [N], at least two in all."""
        frames = (torch.exp(log_frames[0]) - 1).clamp(min=0.0)
        if self.rise:
            middle = torch.arange(ids.shape[1], dtype=torch.float32) + 0.5
            rising = self.vowels[self.acoustic.parts[ids[0], 0]] * self.question_ramp(ids, middle)
            frames = frames * (1.0 + RISING_LONGER * rising)
        frames = frames * (frames > SHORTEST_FRAMES).to(frames.dtype)
        lead = torch.where(ids[0] == self.beginning, frames.clamp(max=LEAD_FRAMES), frames)
        # Rounding the running sum keeps the sentence's length right, and exports.
        ends = torch.round(torch.cumsum(lead * length_scale, 0))
        whole = ends - torch.cat([torch.zeros(1), ends[:-1]])
        return torch.cat([whole[:-1], whole[-1:].clamp(min=2.0)])

    def forward(self, input: Tensor, input_lengths: Tensor, scales: Tensor) -> tuple[Tensor, ...]:
        ids = input[:, : input_lengths[0]]
        hidden, predicted = self.acoustic.encode(ids)
        durations = self.durations(predicted[..., 0], ids, scales[1])
        pitch = predicted[..., 1] * self.spread
        if self.rise:
            token = torch.arange(ids.shape[1], dtype=torch.float32)
            pitch = pitch + self.question_ramp(ids, token).unsqueeze(0) * HEARD_RISE
        hidden = self.acoustic.add_prosody(hidden, torch.stack([pitch, predicted[..., 2]], -1))
        index, place = repeat_by_duration(durations.to(torch.int64))
        frames = torch.cat([hidden[0][index], place], -1).unsqueeze(0)
        mel, log_f0, voiced = self.acoustic.denormalise(self.acoustic.decode(frames))
        if self.rise:
            ramp = self.question_ramp(ids, index.to(torch.float32) + place[:, 0])
            log_f0 = log_f0 + ramp.unsqueeze(0) * (self.rise * math.log(2) / 12)
        sample = torch.arange(mel.shape[1] * HOP) % self.noise.shape[0]
        audio = self.vocoder(mel, log_f0, voiced, self.noise[sample].unsqueeze(0))
        return audio.clamp(-1.0, 1.0).unsqueeze(1), durations.unsqueeze(0)


def store_half(model: onnx.ModelProto, smallest: int = 1024) -> None:
    """Store weights of at least `smallest` values as float16; a cast restores them at load."""
    casts = []
    for tensor in model.graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < smallest:
            continue
        name = tensor.name
        half = numpy_helper.to_array(tensor).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(half, name + "_half"))
        casts.append(helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))
    for position, cast in enumerate(casts):
        model.graph.node.insert(position, cast)


def piper_json(name: str, voice: VoiceSettings, vocabulary: Vocabulary) -> dict[str, object]:
    """The `.onnx.json` beside the voice."""
    phones = PHONE_SETS[voice.language]
    return {
        "audio": {"sample_rate": SAMPLE_RATE_HZ},
        "espeak": {"voice": phones.espeak},
        "language": {"code": phones.code},
        "dataset": name,
        "phoneme_type": "espeak",
        "num_symbols": len(vocabulary.parts),
        "num_speakers": 1,
        "speaker_id_map": {},
        "inference": {"noise_scale": 0.0, "length_scale": 1.0, "noise_w": 0.0},
        "hop_length": HOP,
        "phoneme_id_map": vocabulary.phoneme_id_map(),
        "vowel_clusters": [list(cluster) for cluster in sorted(vowel_clusters(phones))],
        "piper_version": "1.8.0",
    }


def export(voice: Voice, path: Path, half: bool) -> None:
    """Write the ONNX file, checked by onnx."""
    voice.eval()
    ids = torch.randint(6, len(voice.acoustic.parts), (1, 40))
    torch.onnx.export(
        voice,
        (ids, torch.tensor([40]), torch.tensor([0.0, 1.0, 0.0])),
        str(path),
        opset_version=OPSET,
        input_names=["input", "input_lengths", "scales"],
        output_names=["output", "durations"],
        dynamic_axes={"input": {1: "ids"}, "output": {2: "samples"}, "durations": {1: "ids"}},
        do_constant_folding=False,
        dynamo=False,
    )
    model = onnx.load(str(path))
    if half:
        store_half(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main() -> None:
    """Export the trained stages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voice", required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--vocoder", default="adversarial.pt", help="checkpoint in --work")
    parser.add_argument("--full", action="store_true", help="keep float32 weights")
    arguments = parser.parse_args()
    named, work = load_settings().voices[arguments.voice], arguments.work / arguments.voice
    acoustic, vocabulary = load_acoustic(work)
    vocoder = Vocoder()
    state = torch.load(work / arguments.vocoder, weights_only=True)
    vocoder.load_state_dict(state["averaged"])
    voice = Voice(acoustic, vocoder, vocabulary, named)
    with torch.no_grad():
        export(voice, arguments.output, half=not arguments.full)
    text = json.dumps(piper_json(arguments.voice, named, vocabulary), ensure_ascii=False, indent=1)
    Path(f"{arguments.output}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
