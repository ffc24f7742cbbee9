"""The part of the published vocabulary that English text can reach.

BERT's tokens also hold a thousand unused places and letters of other scripts. The tokenizer lowers
the case and takes accents off, so a token with such a letter never comes of English text: without
them the tokens of English, and so the vectors, stay the same, and the file is smaller.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def kept_ids(tokenizer: dict[str, Any]) -> list[int]:
    """Ids of the tokens that stay, in their order."""
    words: dict[str, int] = tokenizer["model"]["vocab"]
    return sorted(number for word, number in words.items() if is_kept(word))


def is_kept(token: str) -> bool:
    """Special tokens, and what is made of ASCII, punctuation and symbols."""
    if token in SPECIAL:
        return True
    if token.startswith("[unused"):
        return False
    text = token.removeprefix("##")
    return all(each.isascii() or unicodedata.category(each)[0] in "PS" for each in text)


def trim_tokenizer(source: Path, kept: list[int], positions: int) -> str:
    """The tokenizer file with only these tokens, counted anew, cut at so many, never padded."""
    tokenizer: dict[str, Any] = json.loads(source.read_text("utf-8"))
    new = {old: number for number, old in enumerate(kept)}
    tokenizer["model"]["vocab"] = {
        word: new[old]
        for word, old in sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
        if old in new
    }
    tokenizer["added_tokens"] = [
        {**each, "id": new[each["id"]]} for each in tokenizer["added_tokens"] if each["id"] in new
    ]
    for token in tokenizer["post_processor"]["special_tokens"].values():
        token["ids"] = [new[each] for each in token["ids"]]
    tokenizer["truncation"]["max_length"] = positions
    tokenizer["padding"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
