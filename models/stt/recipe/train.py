"""Trains the recognizer: joint cross-entropy on text tokens and CTC on phones.

    python -m models.stt.recipe.train --data DIR --run DIR --minutes 100 [--language es] [--tiny]

A run may begin with the weights of another one (`--start-from`), also of another language: its
tokens and phones are then learned anew. One thread by default. Run the same command again after an
interruption: it goes on from the last checkpoint. The learning rate follows a cosine over the
training minutes, so the end is where the accuracy is; stop early only by giving fewer minutes.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import signal
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from . import alignment, vocabulary
from .courtesy import Courtesy
from .lexicon import Lexicon
from .mixture import Example, Mixture
from .muon import Muon
from .network import Recognizer, Size

SETTINGS = Path(__file__).with_name("settings.toml")


@dataclasses.dataclass(frozen=True)
class Spelling:
    """A sentence as text tokens and as phones, each with the number of its word."""

    tokens: list[int]
    token_words: list[int]
    phones: list[int]
    phone_words: list[int]


@dataclasses.dataclass
class Targets:
    """Turns words into token and phone ids."""

    tokenizer: Tokenizer
    lexicon: Lexicon
    phones: list[str]
    language: str

    def __post_init__(self) -> None:
        self._spelled: dict[str, tuple[list[int], list[int]]] = {}
        self._phone_ids = {phone: place + 1 for place, phone in enumerate(self.phones)}
        self.prompt = vocabulary.prompt(self.tokenizer, self.language)
        self.end = vocabulary.token_id(self.tokenizer, "<|endoftext|>")
        self.no_speech = vocabulary.token_id(self.tokenizer, "<|nospeech|>")

    def spell(self, text: str) -> Spelling:
        """A sentence in both alphabets; phones unknown when training began are left out."""
        spelling = Spelling([], [], [], [])
        for number, word in enumerate(text.split()):
            if word not in self._spelled:
                # Words meet no other word inside the tokenizer, so each is encoded once and kept.
                self._spelled[word] = (
                    list(self.tokenizer.encode(f" {word}").ids),
                    [i for p in self.lexicon.phones(word) if (i := self._phone_ids.get(p))],
                )
            tokens, phones = self._spelled[word]
            spelling.tokens.extend(tokens)
            spelling.token_words.extend([number] * len(tokens))
            spelling.phones.extend(phones)
            spelling.phone_words.extend([number] * len(phones))
        return spelling


@dataclasses.dataclass(frozen=True)
class Shares:
    """How much is made hard: utterances with SpecAugment, words told wrong to the decoder."""

    masked: float
    wrong: float


@dataclasses.dataclass(frozen=True)
class Batch:
    """One step: frames [B, 80, T], lengths [B], tokens and targets [B, L], and spellings."""

    frames: Tensor
    lengths: Tensor
    tokens: Tensor
    targets: Tensor
    spellings: list[Spelling]


def collate(
    examples: list[Example], targets: Targets, shares: Shares, rng: np.random.Generator
) -> Batch:
    """Pads examples into one batch."""
    lengths = torch.tensor([e.frames.shape[1] for e in examples])
    frames = torch.zeros(len(examples), examples[0].frames.shape[0], int(lengths.max()))
    spellings = [targets.spell(e.text) for e in examples]
    rows = [spelling.tokens for spelling in spellings]
    longest = 4 + max(len(row) for row in rows)
    tokens = torch.full((len(rows), longest), targets.end)
    wanted = torch.full((len(rows), longest), -100)
    for place, (example, row) in enumerate(zip(examples, rows, strict=True)):
        picture = example.frames
        if rng.random() < shares.masked:
            picture = mask(picture, rng)
        frames[place, :, : picture.shape[1]] = torch.from_numpy(picture)
        given = [
            int(rng.integers(targets.end)) if rng.random() < shares.wrong else token
            for token in row
        ]
        tokens[place, : 4 + len(row)] = torch.tensor(targets.prompt + given)
        # After the start token comes the language, or the sign that nobody speaks.
        wanted[place, 0] = targets.prompt[1] if example.text else targets.no_speech
        wanted[place, 3 : 4 + len(row)] = torch.tensor([*row, targets.end])
    return Batch(frames, lengths, tokens, wanted, spellings)


def mask(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """SpecAugment: one band of up to 9 mel channels and some stretches of up to 0.2 s at zero."""
    picture = picture.copy()
    width = int(rng.integers(10))
    start = int(rng.integers(58 - width))
    picture[start : start + width] = 0
    for _ in range(max(1, picture.shape[1] // 75)):
        width = int(rng.integers(10))
        start = int(rng.integers(max(1, picture.shape[1] - width)))
        picture[:, start : start + width] = 0
    return picture


def losses(model: Recognizer, batch: Batch) -> tuple[Tensor, Tensor, Tensor, float]:
    """Cross-entropy per token, CTC per phone, guide of the attention, share of tokens right."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden, halves, mask_ = model.encoder(batch.frames, batch.lengths)
        logits, looks = model.decoder(batch.tokens, hidden, mask_)
        phone_logits = model.ctc(hidden)
    flat = logits.float().flatten(0, 1)
    wanted = batch.targets.flatten()
    tokens = F.cross_entropy(flat, wanted, ignore_index=-100, label_smoothing=0.05)
    log_probs = phone_logits.float().log_softmax(-1)
    said = [spelling.phones for spelling in batch.spellings]
    phone_lengths = torch.tensor([len(row) for row in said])
    joined = torch.tensor([phone for row in said for phone in row], dtype=torch.long)
    phones = F.ctc_loss(
        log_probs.transpose(0, 1),
        joined,
        halves,
        phone_lengths,
        reduction="sum",
        zero_infinity=True,
    ) / max(1, len(joined))
    windows = alignment.token_windows(
        alignment.align(log_probs.detach(), halves, said),
        [spelling.phone_words for spelling in batch.spellings],
        [spelling.token_words for spelling in batch.spellings],
        batch.tokens.shape[1],
    )
    guide = alignment.guide_loss(looks, windows)
    text = wanted[batch.targets.flatten() != -100]
    right = (flat.argmax(-1)[wanted != -100] == text).float().mean()
    return tokens, phones, guide, float(right)


def build_optimizers(model: Recognizer) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the layers, AdamW for all else; rates are set step by step."""
    inside = [p for name, p in model.named_parameters() if p.ndim == 2 and ".layers." in name]
    known = {id(p) for p in inside}
    others = [p for p in model.parameters() if p.requires_grad and id(p) not in known]
    return [
        Muon(inside, lr=0.0),
        torch.optim.AdamW(others, lr=0.0, betas=(0.9, 0.98), weight_decay=0.0, fused=True),
    ]


class Training:
    """One training run in a folder: its model, its average, its optimizers and its clock."""

    def __init__(self, run: Path, settings: dict[str, Any], data: Path, language: str) -> None:
        self.run = run
        self.settings = settings
        self.language = language
        self.mixture = Mixture(data, seed=int(time.time()))
        run.mkdir(parents=True, exist_ok=True)
        self._checkpoint = run / "checkpoint.pt"
        stored = torch.load(self._checkpoint) if self._checkpoint.exists() else None
        if stored is not None and stored.get("language", "en") != language:
            raise SystemExit(f"{self._checkpoint}: not a run of language {language}")
        self.targets = self._prepare_targets(data, stored)
        net = settings["network"]
        self.size = Size(
            net["width"],
            net["encoder_layers"],
            net["decoder_layers"],
            net["heads"],
            self.targets.tokenizer.get_vocab_size(),
            len(self.targets.phones) + 1,
        )
        self.model = Recognizer(self.size)
        self.average = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
        self.optimizers = build_optimizers(self.model)
        self.steps, self.elapsed_s, self.heard_s = 0, 0.0, 0.0
        if stored is not None:
            self.model.load_state_dict(stored["model"])
            self.average = stored["average"]
            for optimizer, state in zip(self.optimizers, stored["optimizers"], strict=True):
                optimizer.load_state_dict(state)
            self.steps, self.elapsed_s = stored["steps"], stored["elapsed_s"]
            self.heard_s = stored["heard_s"]

    def _prepare_targets(self, data: Path, stored: dict[str, Any] | None) -> Targets:
        sentences = self.mixture.sentences()
        lexicon = Lexicon(data / "lexicon.json", self.language)
        lexicon.add({word for sentence in sentences for word in sentence.split()})
        if stored is not None:
            tokenizer = Tokenizer.from_str(stored["tokenizer"])
            return Targets(tokenizer, lexicon, stored["phones"], self.language)
        size = self.settings["network"]["text_tokens"]
        tokenizer = vocabulary.train_tokenizer(sentences, size, self.language)
        return Targets(tokenizer, lexicon, lexicon.inventory(), self.language)

    def start_from(self, other: Path) -> None:
        """Takes the weights of another run's checkpoint, but for its tokens and phones."""
        stored = torch.load(other / "checkpoint.pt")["average"]
        own = {"decoder.embed_tokens.weight", "ctc.weight", "ctc.bias"}
        self.model.load_state_dict({k: v for k, v in stored.items() if k not in own}, strict=False)
        self.average = {k: v.detach().clone() for k, v in self.model.state_dict().items()}

    def refresh(self) -> None:
        """Takes in shards that synthesis has finished since."""
        fresh = self.mixture.refresh()
        self.targets.lexicon.add({word for sentence in fresh for word in sentence.split()})

    def step(self, examples: list[Example], share: float, rng: np.random.Generator) -> np.ndarray:
        """One optimizer step; ``share`` is how much of the training time is over (0..1).

        Returns the losses of tokens, phones and guide, and the share of tokens right.
        """
        knobs = self.settings["train"]
        masked = knobs["mask_share"] if share > knobs["mask_from"] else 0.0
        batch = collate(examples, self.targets, Shares(masked, knobs["wrong_share"]), rng)
        pace = min(1.0, (self.steps + 1) / knobs["warm_up_steps"])
        pace *= 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
        rates = (knobs["matrix_rate"], knobs["rate"])
        for optimizer, rate in zip(self.optimizers, rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * pace
        tokens, phones, guide, right = losses(self.model, batch)
        weight = knobs["phone_weight"]
        self.model.zero_grad()
        (((1 - weight) * tokens + weight * phones) + knobs["guide_weight"] * guide).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
        self.steps += 1
        self.heard_s += float(batch.lengths.sum()) / 50
        keep = min(knobs["average"], self.steps / (self.steps + 10))
        torch._foreach_lerp_(
            list(self.average.values()), list(self.model.state_dict().values()), 1 - keep
        )
        return np.array(
            [float(tokens.detach()), float(phones.detach()), float(guide.detach()), right]
        )

    def save(self) -> None:
        """Writes the checkpoint; a kill at any moment leaves the old or the new one."""
        rough = self.run / ".checkpoint.pt"
        torch.save(
            {
                "model": self.model.state_dict(),
                "average": self.average,
                "optimizers": [o.state_dict() for o in self.optimizers],
                "steps": self.steps,
                "elapsed_s": self.elapsed_s,
                "heard_s": self.heard_s,
                "size": dataclasses.asdict(self.size),
                "phones": self.targets.phones,
                "tokenizer": self.targets.tokenizer.to_str(),
                "settings": self.settings,
                "language": self.language,
            },
            rough,
        )
        rough.replace(self._checkpoint)


def train(training: Training, minutes: float, most_steps: int | None, courtesy: Courtesy) -> None:
    """Trains until the minutes (counted over all runs of this folder) are over, or SIGTERM."""
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stop.append(number))
    torch.set_num_threads(1)
    knobs = training.settings["train"]
    rng = np.random.default_rng()
    began = time.monotonic() - training.elapsed_s
    saved = refreshed = time.monotonic()
    sums = np.zeros(4)
    for examples in training.mixture.batches(knobs["batch_s"], knobs["pool"]):
        share = training.elapsed_s / (minutes * 60)
        sums += training.step(examples, share, rng)
        now = time.monotonic()
        training.elapsed_s = now - began
        if training.steps % 20 == 0:
            torch.set_num_threads(courtesy.threads())
        if training.steps % 50 == 0:
            tokens, phones, guide, right = sums / 50
            sums[:] = 0
            left = max(0.0, minutes - training.elapsed_s / 60)
            print(
                f"step {training.steps} loss {tokens:.3f} phones {phones:.3f} "
                f"guide {guide:.3f} right {right:.3f} "
                f"heard {training.heard_s / 3600:.2f} h of {training.mixture.hours():.1f} h, "
                f"{training.elapsed_s / 60:.1f} min, ETA {left:.1f} min, "
                f"{torch.get_num_threads()} threads",
                flush=True,
            )
        if now - refreshed > 120:
            training.refresh()
            refreshed = now
        over = bool(stop) or share >= 1 or (most_steps is not None and training.steps >= most_steps)
        if over or now - saved > 240:
            training.save()
            saved = now
        if over:
            return


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of shards")
    parser.add_argument("--run", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--minutes", type=float, required=True, help="training time in all")
    parser.add_argument(
        "--threads", type=int, default=1, help="at most; fewer while others use the cores"
    )
    parser.add_argument("--language", choices=("en", "es"), default="en")
    parser.add_argument("--start-from", type=Path, help="folder of a run to begin with")
    parser.add_argument("--settings", type=Path, default=SETTINGS)
    parser.add_argument("--tiny", action="store_true", help="three steps, to test the recipe")
    args = parser.parse_args()
    settings = tomllib.loads(args.settings.read_text())
    training = Training(args.run, settings, args.data, args.language)
    if args.start_from is not None and not training.steps:
        training.start_from(args.start_from)
    train(
        training,
        args.minutes,
        3 if args.tiny else None,
        Courtesy(args.threads),
    )


if __name__ == "__main__":
    main()
