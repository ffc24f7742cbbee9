"""How letters are said in English: their names, the spelling alphabets, "b as in boy"."""

from __future__ import annotations

from appliance.nlu.contact_words import Alphabet

_NAMES = {
    "bee": "b", "be": "b", "cee": "c", "see": "c", "sea": "c", "dee": "d", "ee": "e", "ef": "f",
    "eff": "f", "gee": "g", "aitch": "h", "haitch": "h", "eye": "i", "jay": "j", "kay": "k",
    "el": "l", "ell": "l", "em": "m", "en": "n", "oh": "o", "pee": "p", "pea": "p", "cue": "q",
    "queue": "q", "ar": "r", "are": "r", "ess": "s", "tee": "t", "tea": "t", "you": "u",
    "vee": "v", "ex": "x", "why": "y", "wye": "y", "zee": "z", "zed": "z",
}  # fmt: skip
_NATO = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar"
    " papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu alfa juliett whisky"
)
_AD_HOC = (
    "adam apple boy baker bob cat charles david dog edward easy elephant frank fox george henry"
    " harry ida igloo john jack king kite lincoln lion larry mary mother nancy nora ocean orange"
    " paul peter queen robert rabbit sam sugar tom tiger union umbrella vincent violet william"
    " water young yellow zebra"
)
SPELLING = Alphabet(
    names=_NAMES,
    sure=frozenset({"aitch", "haitch", "ess", "zee", "zed", "wye", "cee", "vee"}),
    phrases={
        ("double", "u"): "w", ("double", "you"): "w", ("x", "ray"): "x",
    },
    code={word: word[0] for word in f"{_NATO} {_AD_HOC}".split()},
    radio={word: word[0] for word in _NATO.split()},
    people=frozenset({"charlie", "juliet", "juliett", "mike", "oscar", "romeo", "victor"}),
    links=(("as", "in"), ("is", "in"), ("like", "in"), ("for",), ("like",), ("as",)),
    repeats={"double": 2, "triple": 3},
    skipped=frozenset({"capital", "uppercase", "lowercase", "letter", "then", "uh", "um"}),
    alike=("bcdegptvz", "mn", "fsx", "ajk", "iy", "qu", "cks", "lr", "ao"),
    partners={
        "k": ("ch", "c"), "c": ("k", "s"), "j": ("g",), "g": ("j",), "y": ("ie", "i", "e"),
        "i": ("ey", "y", "e"), "z": ("s",), "s": ("c", "z"), "x": ("cks", "ks", "z"),
        "f": ("ph", "v"), "v": ("f",), "n": ("m",), "m": ("n",), "w": ("v",), "ph": ("f",),
        "ch": ("k", "c"), "ck": ("k", "c"),
    },
)  # fmt: skip
