"""The text tokens: a small byte-level BPE in the order that faster-whisper expects.

Text tokens come first and special tokens after them ("<|endoftext|>" first of those, since every
lower id counts as text; "<|notimestamps|>" last, since every higher id counts as a time stamp).
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

_BEFORE_LANGUAGE = ("<|endoftext|>", "<|startoftranscript|>")
_AFTER_LANGUAGE = (
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)


def specials(language: str) -> tuple[str, ...]:
    """The special tokens of a model of one language, in order."""
    return (*_BEFORE_LANGUAGE, f"<|{language}|>", *_AFTER_LANGUAGE)


def train_tokenizer(sentences: Iterable[str], size: int, language: str) -> Tokenizer:
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
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token in specials(language)]
    )
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


def prompt(tokenizer: Tokenizer, language: str) -> list[int]:
    """What stands before every transcript: start, language, transcribe, no time stamps."""
    names = ("<|startoftranscript|>", f"<|{language}|>", "<|transcribe|>", "<|notimestamps|>")
    return [token_id(tokenizer, name) for name in names]
