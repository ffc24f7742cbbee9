"""How a text is to be spoken: a small subset of SSML, checked, and always with its plain text.

    "Hold on.<break time="300ms"/>"  ── plain ──> "Hold on."     logs, text channel, checker
                                     ── heard ──> "Hold on."     the words that a caller hears
                                     ── parse ──> Piece …        the voice (tts/)

Marks of authors: `break`, `prosody rate`, `sub alias`, `phoneme ph` (and `say-as`, which
`wording` turns into `sub`). The engine has one more, `slot`, around the value of a variable, so
that who renders a sentence knows what in it varies; no author can write it. Values are escaped
(`escape`) before they are put beside marks: nothing in an account can be one.

W3C Speech Synthesis Markup Language 1.1, without its document element and namespaces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][\w-]*)(?P<given>[^<>]*?)(?P<empty>/?)>"
    r"|(?P<text>[^<]+)|(?P<stray><)"
)
_GIVEN = re.compile(r"""\s+([\w:-]+)\s*=\s*("[^"]*"|'[^']*')""")
_BREAK = re.compile(r"(\s*)<break\b[^<>]*>(\s*)")
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_MEANS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_PERCENT = re.compile(r"(\d{1,3})%")

_IPA_SIGNS = frozenset(
    "abcdefhijklmnopqrstuvwxyzæçðøħŋœɐɑɒɓɔɕɖɗɘəɚɛɜɝɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕ"
    "ʘʙʛʜʝʟʡʢʲˈˌːˑβθχᵻⱱʰ\u0303\u0327\u0329\u032a\u032f .-"
)
"""What espeak-ng writes, and so what Piper voices may know."""

ATTRIBUTES: Mapping[str, str] = {
    "break": "time",
    "prosody": "rate",
    "sub": "alias",
    "phoneme": "ph",
    "say-as": "interpret-as",
    "slot": "name",
}
"""The marks, each with its one attribute."""
OPAQUE = frozenset({"sub", "phoneme", "say-as"})
"""What is in these is text alone."""
RATES: Mapping[str, float] = {
    "x-slow": 0.65, "slow": 0.8, "medium": 1.0, "fast": 1.2, "x-fast": 1.4,
}  # fmt: skip
_SLOWEST, _FASTEST = 50, 150
SHORTEST_BREAK_MS, LONGEST_BREAK_MS = 20, 3000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text that is spoken in one way, or a pause.

    `text` is as written, `said` what is read in its place (the same where no mark says
    otherwise); `phones` is IPA that is said instead of both. `rate` is 1 for the voice's own
    speed and 2 for twice as fast. A pause has `pause_ms` and no text. `slot` names the variable
    whose value it is.
    """

    text: str = ""
    said: str = ""
    phones: str = ""
    rate: float = 1.0
    pause_ms: int = 0
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """One tag of a text, or a stretch of text between tags (`name` is "")."""

    name: str
    source: str
    value: str = ""
    closes: bool = False
    empty: bool = False

    @property
    def begins(self) -> bool:
        """Whether it opens what a closing mark ends."""
        return bool(self.name) and not self.closes and not self.empty


def escape(text: str) -> str:
    """A plain text as a marked one that has no marks."""
    return text.translate(_ESCAPES)


def unescape(text: str) -> str:
    """The plain text of a stretch without marks; a lone & stands for itself."""
    return _ENTITY.sub(lambda found: _MEANS[found[1]], text)


def mark(name: str, value: str, text: str = "") -> str:
    """A mark with the value of its attribute, around a plain text; alone without one."""
    shown = escape(value).replace('"', "&quot;")
    opening = f'<{name} {ATTRIBUTES[name]}="{shown}"'
    return f"{opening}>{escape(text)}</{name}>" if text else f"{opening}/>"


def around_slot(name: str, speech: str) -> str:
    """A variable's value in its marked form, as it stands in a sentence; "" is its place."""
    return f'<slot name="{name}">{speech}</slot>' if speech else mark("slot", name)


def plain(speech: str) -> str:
    """What is written: the text without its marks. Works on a part of a text too."""
    told = _BREAK.sub(lambda found: " " if found[1] or found[2] else "", speech)
    return unescape(re.sub(r"<[^<>]*>", "", told))


def heard(speech: str) -> str:
    """The words that are heard: like `plain`, with what `sub` puts in their place.

    What must not be said is looked for in these too. The place of a slot is `[name]`.

    Raises:
        ValueError: as `parse`.
    """
    return " ".join("".join(map(_words, parse(speech))).split())


def assert_authored(text: str) -> None:
    """Refuse in an author's text what only the engine may write, and variables inside marks.

    Raises:
        ValueError: names the mark and the remedy.
    """
    if found := re.search(r"</?slot\b[^<>]*>", text):
        raise ValueError(f"{found[0]} is no mark of a text: write {{name}}")
    if found := re.search(r"</?[A-Za-z][^<>]*\{[^<>]*", text):
        raise ValueError(f"{found[0]}: a variable cannot stand inside a mark, only around it")


def parse(speech: str) -> tuple[Piece, ...]:
    """The pieces of a marked text, in order; the place of a slot without a value is an empty one.

    Raises:
        ValueError: an unknown or unbalanced mark, or a wrong value; names it and the remedy.
    """
    pieces: list[Piece] = []
    opened: list[Mark] = []
    for each in marks(speech):
        if not each.name:
            if each.source:
                pieces.append(_piece(unescape(each.source), opened))
        elif each.closes:
            if not opened or opened[-1].name != each.name:
                raise ValueError(f"{each.source} closes no <{each.name}>: {_expected(opened)}")
            opened.pop()
        elif each.name == "break":
            _assert_fits(each, opened)
            pieces.append(Piece(pause_ms=pause_ms(each.value), slot=_slot(opened)))
        else:
            _assert_fits(each, opened)
            if each.empty:
                pieces.append(Piece(slot=each.value))
            else:
                opened.append(each)
    if opened:
        raise ValueError(f"{opened[-1].source} is not closed: add </{opened[-1].name}>")
    return tuple(pieces)


def marks(speech: str) -> Iterator[Mark]:
    """The tags and the stretches between them, one by one; whether they fit is not looked at.

    Raises:
        ValueError: an unknown mark, a wrong attribute, or a < that begins no mark.
    """
    for found in _TOKEN.finditer(speech):
        source, name = found[0], found["name"]
        if found["stray"]:
            raise ValueError("a < that begins no mark: write &lt; for the sign itself")
        if not name:
            yield Mark("", source)
            continue
        if name not in ATTRIBUTES:
            known = ", ".join(sorted(ATTRIBUTES.keys() - {"slot"}))
            raise ValueError(f"{source} is no mark here: there are {known}")
        closes, empty = bool(found["close"]), bool(found["empty"])
        if closes:
            if found["given"].strip() or empty or name == "break":
                raise ValueError(f"{source}: a closing mark is </NAME>, and <break/> has none")
            yield Mark(name, source, closes=True)
            continue
        if empty != (name == "break") and name != "slot":
            raise ValueError(f'{source}: write <break time="300ms"/>, and <NAME …>text</NAME>')
        yield Mark(name, source, _value(name, source, found["given"]), empty=empty)


def assert_ipa(phones: str) -> None:
    """Whether these are signs that a voice may know.

    Raises:
        ValueError: names those that are none.
    """
    strange = sorted(set(unicodedata.normalize("NFD", phones)) - _IPA_SIGNS)
    if strange:
        raise ValueError(f"{' '.join(strange)} is no sign of IPA as espeak-ng writes it")


def pause_ms(time: str) -> int:
    """The length of a break, milliseconds.

    Raises:
        ValueError: it is no time, or too short or too long.
    """
    found = _TIME.fullmatch(time)
    length = float(found[1]) * (1000 if found[2] == "s" else 1) if found else 0
    if not SHORTEST_BREAK_MS <= length <= LONGEST_BREAK_MS:
        limits = f"from {SHORTEST_BREAK_MS}ms to {LONGEST_BREAK_MS // 1000}s"
        raise ValueError(f'<break time="{time}"/>: time is {limits}, as 300ms or 1.5s')
    return round(length)


def _rate(value: str) -> float:
    if value in RATES:
        return RATES[value]
    percent = _PERCENT.fullmatch(value)
    if percent is None or not _SLOWEST <= int(percent[1]) <= _FASTEST:
        named = ", ".join(RATES)
        raise ValueError(f'rate="{value}": is {named}, or {_SLOWEST}% to {_FASTEST}%')
    return int(percent[1]) / 100


def _value(name: str, source: str, given: str) -> str:
    """The value of a mark's one attribute."""
    found = _GIVEN.findall(given)
    wanted = ATTRIBUTES[name]
    if [key for key, _ in found] != [wanted] or _GIVEN.sub("", given).strip():
        raise ValueError(f'{source}: <{name}> has one attribute: {wanted}="…"')
    value = unescape(found[0][1][1:-1]).strip()
    if not value:
        raise ValueError(f"{source}: {wanted} is empty")
    if name == "prosody":
        _rate(value)
    if name == "phoneme":
        assert_ipa(value)
    return value


def _assert_fits(opening: Mark, opened: list[Mark]) -> None:
    if opened and opened[-1].name in OPAQUE:
        raise ValueError(f"{opening.source} inside {opened[-1].source}: that holds text alone")
    if any(each.name == opening.name for each in opened):
        raise ValueError(f"{opening.source} inside another <{opening.name}>: close that first")
    if opening.name == "say-as":
        raise ValueError(f"{opening.source}: only texts of a flow have it, around fixed text")


def _expected(opened: list[Mark]) -> str:
    return f"</{opened[-1].name}> is due" if opened else "nothing is open"


def _piece(text: str, opened: list[Mark]) -> Piece:
    said, phones, rate = text, "", 1.0
    for each in opened:
        if each.name == "prosody":
            rate = _rate(each.value)
        elif each.name == "sub":
            said = each.value
        elif each.name == "phoneme":
            phones = each.value
    return Piece(text, said, phones, rate, slot=_slot(opened))


def _words(piece: Piece) -> str:
    if piece.pause_ms:
        return " "
    return piece.said if piece.text or not piece.slot else f"[{piece.slot}]"


def _slot(opened: list[Mark]) -> str | None:
    return next((each.value for each in opened if each.name == "slot"), None)
