"""Reads an e-mail address, written or spelled aloud: "maria dot lopez at gmail dot com".

    address := part+ at host            part := word | letters | number | sign
    host    := (known host | part)+ ending

It is small letters and ASCII, and checked by its shape; whether anybody reads mail there, nobody
here knows. A well-known host may be named without its ending ("at gmail").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from appliance.dialogue.contacts import parse_email
from appliance.dialogue.letters import fold
from appliance.nlu.contact_words import EmailWords
from appliance.nlu.grammar import Grammar
from appliance.nlu.spelling import read_letters, read_sure_letter

_WRITTEN = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_SIGN = re.compile(r"[@_+]|(?<=\w)\.(?=\w)")
_SAID = {"@": "arroba", "_": "underscore", "+": "plus", ".": "dot"}
_SPELLED = "/"
_ALIKE = 0.5
"""From this likeness on, letters spell the word before them."""


def read_email(text: str, grammar: Grammar) -> str:
    """The last address in an utterance; "" for none."""
    written = _WRITTEN.findall(text.lower())
    if written:
        return _checked(written[-1])
    emails = grammar.emails
    words = grammar.verbatim(_SIGN.sub(lambda sign: f" {_SAID[sign.group()]} ", text)).split()
    words = emails.spelled.sub(_SPELLED, emails.nothing.sub(" ", " ".join(words))).split()
    words = [word for word in words if word != ";"]
    found, local = "", ""
    for at, word in enumerate(words):
        if word not in emails.at:
            continue
        begin = _begin(words, at, grammar)
        local = _local(words[begin:at], grammar) or local
        found = _checked(f"{local}@{_host(words[at + 1 :], grammar)}") or found
    return found


def _checked(address: str) -> str:
    try:
        return parse_email(address)
    except ValueError:
        return ""


def _begin(words: Sequence[str], at: int, grammar: Grammar) -> int:
    """Where the part before an "at" begins: after the last word that is no part of one."""
    begin, emails = at, grammar.emails
    while begin > 0:
        word = words[begin - 1]
        beside = [*words[max(0, begin - 2) : begin - 1], *words[begin:at][:1]]
        signed = any(_sign(words, place, emails)[0] for place in (begin - 2, begin) if place >= 0)
        letter = len(word) == 1 and (
            begin == at or any(_is_spelled(each, grammar) for each in beside)
        )
        if word in emails.at or (word in emails.begins and not letter and not signed):
            break
        begin -= 1
    return begin


def _is_spelled(word: str, grammar: Grammar) -> bool:
    """Whether a word is a letter or a figure, or begins one: then a letter beside it is one too."""
    alphabet = grammar.spelling
    figure = word.isdigit() or word in _number_words(grammar)
    return len(word) == 1 or figure or word in alphabet.names or word in alphabet.repeats


def _sign(words: Sequence[str], index: int, emails: EmailWords) -> tuple[str, int]:
    """The sign that is said from here, and where it ends; "" for none."""
    for length in (3, 2, 1):
        sign = emails.signs.get(tuple(words[index : index + length]))
        if sign:
            return sign, index + length
    return "", index


def _local(words: Sequence[str], grammar: Grammar) -> str:
    """What stands before the "@", of words, letters, numbers and signs."""
    pieces: list[str] = []
    index, spelled = 0, False
    while index < len(words):
        if words[index] == _SPELLED:
            index, spelled = index + 1, True
            continue
        piece, index, letters = _piece(words, index, grammar)
        if letters and pieces and (spelled or _resembles(pieces[-1], piece)):
            pieces[-1] = piece
        else:
            pieces.append(piece)
        spelled = False
    return "".join(pieces)


def _resembles(word: str, letters: str) -> bool:
    likeness = SequenceMatcher(None, word, letters).ratio()
    return len(word) > 1 and word.isalpha() and likeness >= _ALIKE


def _piece(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int, bool]:
    """A part of an address, where it ends, and whether it was spelled."""
    sign, end = _sign(words, index, grammar.emails)
    if sign:
        return sign, end, False
    number, end = _number(words, index, grammar)
    if number:
        return number, end, False
    letters, end = read_letters(words, index, grammar.spelling)
    if letters:
        return fold(letters), end, True
    letter, end = read_sure_letter(words, index, grammar.spelling)
    if letter:
        return letter, end, False
    return fold(words[index]).replace("'", ""), index + 1, False


def _number(words: Sequence[str], index: int, grammar: Grammar) -> tuple[str, int]:
    """A number, with the zeros that are words: a lone "o" is a letter, "oh" a zero by a number."""
    numbers, word = grammar.numbers, words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if word.isdigit():
        return word, index + 1
    if word in numbers.repeats and following in numbers.units and len(following) > 1:
        return str(numbers.units[following]) * numbers.repeats[word], index + 2
    if word in numbers.zeros and len(word) > 1:
        before = words[index - 1] if index else ""
        beside = any(
            each.isdigit() or each in _number_words(grammar) for each in (before, following)
        )
        return ("0", index + 1) if word not in numbers.exclaimed or beside else ("", index)
    if len(word) == 1 or word in numbers.articles:
        return "", index
    found = numbers.cardinal(words, index)
    return (str(found[0]), found[1]) if found else ("", index)


def _number_words(grammar: Grammar) -> set[str]:
    return {*grammar.numbers.units, *grammar.numbers.decades, *grammar.numbers.zeros}


def _host(words: Sequence[str], grammar: Grammar) -> str:
    """What stands after the "@": up to its last dot all words count, after it one."""
    emails = grammar.emails
    labels, index = [""], 0
    dots = [place for place in range(len(words)) if _sign(words, place, emails)[0] == "."]
    while index < len(words):
        if index in dots:
            labels.append("")
            index += 1
            continue
        if labels[-1] and (not dots or index > dots[-1]):
            break
        host, end = _known_host(words, index, emails)
        if not host:
            host, end, _ = _piece(words, index, grammar)
        labels[-1] += host
        index = end
    named = len(labels) == 1 and all(word in (*emails.begins, "com") for word in words[index:])
    return emails.whole.get(labels[0], "") if named else ".".join(labels)


def _known_host(words: Sequence[str], index: int, emails: EmailWords) -> tuple[str, int]:
    for length in (4, 3, 2, 1):
        host = emails.hosts.get(tuple(words[index : index + length]))
        if host:
            return host, index + length
    return "", index
