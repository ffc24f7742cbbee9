"""Rendered speech on disk: one file a text, one folder a voice.

    cache/<voice>/<sha256 of kind and text>.spoken  =  SHA-256 | length | JSON header | s16le audio

A file is complete or absent: it is written beside its name, then renamed. A power cut can leave
one that is damaged; the checksum finds it, and it is rendered anew. A name follows from the text,
so a changed prompt never plays old audio, and the header says the text, so a file that was put
under another's name is found too. Nothing here is personal: slots are never part of a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import structlog

from appliance.errors import StoreError
from appliance.tts.voice import Phone, Spoken

Kind = Literal["whole", "head"]
"""A sentence that never varies, or the start of one up to its first slot."""

_KINDS: Mapping[str, Kind] = {"whole": "whole", "head": "head"}
SUFFIX = ".spoken"
_DIGEST_BYTES = 32
_LENGTH_BYTES = 4
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a file holds. `spoken` is empty for a sentence that was found to have no head."""

    kind: Kind
    speech: str
    spoken: Spoken


class Renderings:
    """The files of one voice; may be used by several threads and processes at once."""

    def __init__(self, cache: Path, identity: str) -> None:
        """`identity`: the voice's; see `Voice.identity`."""
        self.folder = cache / identity[:16]

    def path(self, kind: Kind, speech: str) -> Path:
        """Where a text's audio is, or would be."""
        return self.folder / f"{_name(kind, speech)}{SUFFIX}"

    def read(self, kind: Kind, speech: str) -> Spoken | None:
        """A text's audio; None if there is none that is intact."""
        path = self.path(kind, speech)
        rendering = read_rendering(path)
        if rendering is None:
            return None
        with contextlib.suppress(OSError):  # a cache may be for reading only
            os.utime(path)  # what is in use is not pruned for its age
        return rendering.spoken

    def write(self, kind: Kind, speech: str, spoken: Spoken) -> None:
        """Keep a text's audio.

        Raises:
            StoreError: it cannot be written; nothing is left behind but perhaps a part.
        """
        path = self.path(kind, speech)
        beside = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
        try:
            try:
                _put(path, beside, serialize_rendering(Rendering(kind, speech, spoken)))
            except FileNotFoundError:  # the empty folder was pruned between two steps
                _put(path, beside, serialize_rendering(Rendering(kind, speech, spoken)))
        except OSError as error:
            raise StoreError(f"prompt cache: {path}: {error.strerror}") from error


def read_rendering(path: Path, *, tell: bool = True) -> Rendering | None:
    """What a file holds; None if it is missing, damaged, or under another's name.

    `tell`: what is wrong with it goes to the log.
    """
    try:
        rendering = parse_rendering(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        if tell:
            _log.warning("prompt not read from the cache", path=str(path), why=error.strerror)
        return None
    except ValueError as error:
        if tell:
            _log.warning("damaged prompt in the cache", path=str(path), why=str(error))
        return None
    return rendering if path.stem == _name(rendering.kind, rendering.speech) else None


def serialize_rendering(rendering: Rendering) -> bytes:
    """The bytes of a file."""
    phones = [[phone.symbol, phone.samples] for phone in rendering.spoken.phones]
    told = {"kind": rendering.kind, "speech": rendering.speech, "phones": phones}
    header = json.dumps(told, ensure_ascii=False).encode()
    length = len(header).to_bytes(_LENGTH_BYTES, "little")
    rest = length + header + rendering.spoken.pcm
    return hashlib.sha256(rest).digest() + rest


def parse_rendering(data: bytes) -> Rendering:
    """What the bytes of a file mean.

    Raises:
        ValueError: they are damaged.
    """
    digest, rest = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if hashlib.sha256(rest).digest() != digest:
        raise ValueError("its checksum is wrong")
    end = _LENGTH_BYTES + int.from_bytes(rest[:_LENGTH_BYTES], "little")
    try:
        told = json.loads(rest[_LENGTH_BYTES:end])
        phones = tuple(Phone(str(symbol), int(samples)) for symbol, samples in told["phones"])
        kind = _KINDS[told["kind"]]
        spoken = Spoken(rest[end:], phones)
        if not spoken.pcm and kind == "whole":
            raise ValueError("it holds no audio")
        return Rendering(kind, str(told["speech"]), spoken)
    except (KeyError, TypeError) as error:
        raise ValueError(f"its header is not one: {error}") from error


def _name(kind: Kind, speech: str) -> str:
    return hashlib.sha256(f"{kind}\0{speech}".encode()).hexdigest()


def _put(path: Path, beside: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        _give_to_owner(path.parent)
    beside.write_bytes(data)
    _give_to_owner(beside)
    beside.replace(path)


def _give_to_owner(path: Path) -> None:
    """What root renders belongs to whom the cache does: the agent goes on with it."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
