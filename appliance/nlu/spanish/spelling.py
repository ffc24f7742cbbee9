"""How letters are said in Spanish: "ene", "be grande", "doble ve", "be de burro"."""

from __future__ import annotations

from appliance.nlu.contact_words import Alphabet

_NAMES = {
    "be": "b", "ce": "c", "de": "d", "efe": "f", "ge": "g", "hache": "h", "ache": "h",
    "jota": "j", "ka": "k", "ca": "k", "ele": "l", "eme": "m", "ene": "n", "eñe": "ñ", "pe": "p",
    "cu": "q", "qu": "q", "ere": "r", "erre": "r", "ese": "s", "te": "t", "ve": "v", "uve": "v",
    "equis": "x", "ye": "y", "zeta": "z", "ceta": "z", "seta": "z", "che": "ch", "elle": "ll",
}  # fmt: skip
_LARGE, _SMALL = ("grande", "larga", "alta"), ("chica", "corta", "baja", "pequena", "chiquita")
_PHRASES: dict[tuple[str, ...], str] = {
    (sign, size): "b" for sign in ("be", "b") for size in _LARGE
}
_PHRASES |= {(sign, size): "v" for sign in ("ve", "v", "be", "b", "uve") for size in _SMALL}
_PHRASES |= {("doble", sign): "w" for sign in ("ve", "u", "uve", "v", "be")}
_PHRASES |= {
    ("uve", "doble"): "w", ("i", "griega"): "y", ("y", "griega"): "y", ("i", "latina"): "i",
    ("y", "latina"): "i",
}  # fmt: skip
SPELLING = Alphabet(
    names=_NAMES,
    sure=frozenset(
        {"efe", "hache", "jota", "ele", "eme", "ene", "eñe", "ere", "erre", "uve", "equis", "zeta"}
    ),
    phrases=_PHRASES,
    links=(("como", "en"), ("de",), ("como",)),
    repeats={"doble": 2, "triple": 3},
    skipped=frozenset({"mayuscula", "minuscula", "letra", "luego", "eh"}),
    alike=("bcdegptv", "mn", "fs", "csz", "gj", "iy", "bv", "kq", "lr", "ao"),
    partners={
        "b": ("v",), "v": ("b",), "c": ("s", "z", "k"), "s": ("z", "c"), "z": ("s", "c"),
        "g": ("j",), "j": ("g", "x"), "x": ("j", "s"), "k": ("qu", "c"), "q": ("k", "c"),
        "y": ("ll", "i"), "i": ("y",), "w": ("gu", "v"), "ll": ("y",), "ñ": ("n",),
    },
)  # fmt: skip
