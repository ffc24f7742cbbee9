"""The text tokens: a small byte-level BPE in the order that faster-whisper expects.

Text tokens come first and special tokens after them ("<|endoftext|>" first of those, since every
lower id counts as text; "<|notimestamps|>" last, since every higher id counts as a time stamp).
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIALS = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)


def train_tokenizer(sentences: Iterable[str], size: int) -> Tokenizer:
    """Learns ``size`` text tokens; every sentence gets a leading space, as in Whisper."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator((f" {sentence}" for sentence in sentences), trainer)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIALS])
    return tokenizer


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of a special token.

    Raises:
        KeyError: the tokenizer has no such token.
    """
    found = tokenizer.token_to_id(token)
    if found is None:
        raise KeyError(token)
    return int(found)


def prompt(tokenizer: Tokenizer) -> list[int]:
    """What stands before every transcript: start, English, transcribe, no time stamps."""
    names = ("<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>")
    return [token_id(tokenizer, name) for name in names]
