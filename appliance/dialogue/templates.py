"""Prompts as templates: cut at their variables, guarded by conditions, in variants.

    PromptSpec ── parse_template ──> Template ── .unlock(keys) ──> Unlocked ── .render ──> Prompt

`Template` has no way to be rendered; only an `Unlocked` has, and it is had only with a keyring
in which every condition of the prompt and of the secrets in it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter
from typing import final

from appliance.dialogue.markup import assert_authored, heard, parse, plain
from appliance.dialogue.schema import FlowSpec, PromptSpec
from appliance.dialogue.secrets import Keyring, Sealed
from appliance.dialogue.turn import Prompt, Segment
from appliance.dialogue.voicing import READINGS, Voicing

_READ_AS = re.compile(r"""<say-as\s+interpret-as=["']([\w-]+)["']\s*>\{(\w+)\}</say-as\s*>""")
"""A variable that is read in a way of its own: kept as its format, which no text may have."""
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt in one language: its variants, cut at their variables, and its conditions."""

    id: str
    variants: tuple[tuple[Segment, ...], ...]
    uninterruptible: bool
    after: frozenset[str]
    only_if: tuple[tuple[str, bool | str], ...] = ()
    unless: tuple[tuple[str, bool | str], ...] = ()
    styled: tuple[tuple[Segment, ...], ...] = ()
    """Texts of other styles: no call says them, but what is looked at in a text is in these too."""
    must_hear: bool = False
    waits: bool = False
    """Of what must be heard: whether answers lead nowhere before it was."""

    @property
    def conditional(self) -> bool:
        """Whether it may be left out."""
        return bool(self.only_if or self.unless)

    def applies(self, fact: Callable[[str], bool | str | None]) -> bool:
        """Whether it is said, given how to look up a fact."""
        return all(_is(fact(name), value) for name, value in self.only_if) and not any(
            _is(fact(name), value) for name, value in self.unless
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, each once."""
        texts = (*self.variants, *self.styled)
        slots = (part.slot for parts in texts for part in parts if part.slot)
        return tuple(dict.fromkeys(slots))

    @property
    def spoken(self) -> tuple[str, ...]:
        """Each variant that a call may say, with `[name]` in place of its variables."""
        return tuple(_show(parts) for parts in self.variants)

    @property
    def speeches(self) -> tuple[str, ...]:
        """Each variant that a call may say, with its marks and `<slot name="…"/>` for variables."""
        return tuple(_speech(parts) for parts in self.variants)

    @property
    def shown(self) -> tuple[str, ...]:
        """The same with the texts of other styles: for people and for checks."""
        return (*self.spoken, *(_show(parts) for parts in self.styled))

    @property
    def proven(self) -> tuple[str, ...]:
        """`shown`, and what is heard where marks make that differ: what is searched for words."""
        return tuple(dict.fromkeys((*self.shown, *map(heard, self.voiced))))

    @property
    def voiced(self) -> tuple[str, ...]:
        """`speeches` with those of other styles: for checks."""
        return (*self.speeches, *(_speech(parts) for parts in self.styled))

    @property
    def sentences(self) -> int:
        """Sentences of its longest variant."""
        return max(count_sentences(text) for text in self.proven)

    def unlock(self, keys: Keyring) -> Unlocked:
        """The right to render it.

        Raises:
            LockedError: a condition of the prompt or of a secret in it does not hold.
        """
        return Sealed(f"prompt {self.id}", Unlocked(self, keys), self.after).open(keys)


@final
@dataclass(frozen=True, slots=True)
class Unlocked:
    """A template that may be said now, with the keys that were shown for it."""

    template: Template
    keys: Keyring

    def render(
        self, spoken: Callable[[Segment, Keyring, str], Segment], pick: int, voice: str | None
    ) -> Prompt:
        """The prompt with its variables filled in.

        Args:
            spoken: the words for a variable's place as a segment, for who holds the keys; given
                the fixed text after it.
            pick: any number; it chooses among the variants.
            voice: the voice that says it.
        """
        template = self.template
        variant = template.variants[pick % len(template.variants)]
        following = (*(part.text for part in variant[1:]), "")
        parts = tuple(
            spoken(part, self.keys, after) if part.slot else part
            for part, after in zip(variant, following, strict=True)
        )
        text = "".join(part.text for part in parts)
        protected, owed = template.uninterruptible, template.must_hear
        return Prompt(template.id, text, parts, protected, voice, must_hear=owed)


def parse_template(
    name: str, prompt: PromptSpec, spec: FlowSpec, voicing: Voicing | None = None
) -> Template:
    """Cut a prompt's texts at their `{variables}`.

    Args:
        name: the prompt's.
        prompt: its texts and conditions.
        spec: the flow that it belongs to.
        voicing: how texts are said in its language; default: in English.

    Raises:
        ValueError: no text, unbalanced braces, more than a name inside them, or a mark that is
            unknown or not closed (see `markup`).
    """
    if not all(texts and all(plain(text).strip() for text in texts)
               for texts in (prompt.text, *prompt.styles.values())):  # fmt: skip
        raise ValueError("has no text")
    say = (voicing or Voicing("en")).text
    variants = tuple(_cut(text, say) for text in prompt.text)
    styled = tuple(_cut(text, say) for texts in prompt.styles.values() for text in texts)
    names = {part.slot for parts in (*variants, *styled) for part in parts if part.slot}
    names |= {spec.variables[each].share_of or each for each in names & set(spec.variables)}
    after = set(prompt.after)
    for secret in names & set(spec.secrets):
        after.update(spec.secrets[secret].after)
    only_if, unless = tuple(prompt.only_if.items()), tuple(prompt.unless.items())
    return Template(
        name, variants, prompt.uninterruptible, frozenset(after), only_if, unless, styled,
        bool(prompt.must_hear), prompt.must_hear is True,
    )  # fmt: skip


def _show(parts: tuple[Segment, ...]) -> str:
    return "".join(f"[{part.slot}]" if part.slot else part.text for part in parts)


def _speech(parts: tuple[Segment, ...]) -> str:
    return "".join(part.speech for part in parts)


def count_sentences(text: str) -> int:
    """How many sentences a text has; one at least."""
    return max(1, len(_SENTENCE_END.findall(text)))


def _is(value: bool | str | None, wanted: bool | str) -> bool:
    """Whether a fact has a value; True is any but false."""
    return value not in (None, False) if wanted is True else value == wanted


def _cut(text: str, say: Callable[[str], str]) -> tuple[Segment, ...]:
    assert_authored(text)
    parts: list[Segment] = []
    one_line = _READ_AS.sub(r"{\2:\1}", " ".join(text.split()))
    for fixed, variable, style, conversion in Formatter().parse(one_line):
        if fixed:
            shown = plain(fixed)
            parts.append(Segment(shown if parts else shown.lstrip(), speech=say(fixed)))
        if variable is not None:
            if conversion or not variable.isidentifier() or f"{{{variable}:" in text:
                raise ValueError(f"{{{variable}}} is not a variable's name")
            if style and style not in READINGS:
                raise ValueError(f'interpret-as="{style}": is {", ".join(READINGS)}')
            parts.append(Segment("", variable, reading=style or ""))
    parse(_speech(tuple(parts)))
    return tuple(parts)
