"""How English words inside Spanish sentences are said: respelled for a Spanish voice.

The transcript keeps the usual spelling; only the synthesizer and the lexicon see these.
"""

from __future__ import annotations

_RESPELLED = {
    "zip": "sip", "code": "coud", "gmail": "yimeil", "hotmail": "jotmeil", "yahoo": "yajú",
    "outlook": "áutluk", "icloud": "aicláud", "email": "imeil", "mail": "meil",
    "broadway": "brodwey", "oak": "ouk", "lake": "leik", "hill": "jil", "maple": "meipol",
    "main": "mein", "sunset": "sanset", "beach": "bich", "cedar": "sídar", "jackson": "yákson",
    "johnson": "yonson", "jefferson": "yéferson", "michael": "máikel", "jennifer": "yénifer",
    "jacqueline": "yáquelin", "miller": "míler", "smith": "esmit", "houston": "jiúston",
    "phoenix": "fínix", "dallas": "dalas", "denver": "dénver", "washington": "uáshington",
    "lincoln": "línkon", "wilmer": "uílmer", "online": "onlain", "ok": "okey", "app": "ap",
    "whatsapp": "uátsap", "facebook": "féisbuk", "google": "gúgol", "uber": "úber",
    "wifi": "uaifai", "deck": "dek", "boiler": "bóiler", "shower": "sháuer", "closet": "clóset",
    "hello": "jelou", "bye": "bai", "the": "de", "my": "mai", "paid": "peid",
    "unemployment": "anemplóyment", "medicare": "médiker", "sorry": "sorri",
    "marketing": "márketin", "software": "sóftuer", "spam": "espam", "please": "plis",
    "parking": "párkin", "laptop": "láptop", "mmm": "mm", "speak": "espik", "english": "ínglish",
    "spanish": "espánish", "wc": "doble u ce", "bill": "bil", "bills": "bils", "call": "col",
    "wall": "uol", "hell": "jel", "shelter": "shélter", "wells": "uels", "credit": "crédit",
    "union": "unión", "manager": "mánayer", "hi": "jai", "we": "ui",
}  # fmt: skip


def respell(text: str) -> str:
    """The normalized text as it is given to a Spanish voice."""
    return " ".join(_RESPELLED.get(word, word) for word in text.split())
