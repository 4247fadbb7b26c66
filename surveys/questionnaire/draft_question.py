"""A question of a draft: its words, its rules, and its choices where it has any."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from mining.document.codec import OPTIONAL, dump
from surveys.questionnaire.normal_values import Node

Words = Mapping[str, str]
"""A text by language."""
Rules = Mapping[str, Sequence[str]]
"""By the name of an earlier question the choices after which a question is shown."""
OPTION = "many"
"""The form of one option of a question of several of many."""


@dataclass(frozen=True)
class Choice:
    name: str
    label: Words = field(default_factory=dict)

    def as_json(self) -> Node:
        return dump(self)


@dataclass(frozen=True, kw_only=True)
class DraftQuestion:
    """A question with choices; kinds whose questions have none derive from it and leave those fields empty.

    `of` is the group of an option, or the battery of a line; `none` the answer that excludes all options, on the first
    of them. `known` is the share of *yes* of a control item, `shuffled` the number of answers in random order. `role`
    and `shares`, those of a drawn question, belong to plain questions; `noise` and the expected `share` to disguised
    ones. Probabilities are texts with four decimals, as in a design.
    """

    name: str
    text: Words = field(default_factory=dict)
    label: Words = field(default_factory=dict, metadata=OPTIONAL)
    help: Words = field(default_factory=dict)
    show_if: Rules = field(default_factory=dict)
    form: str = ""
    choices: tuple[Choice, ...] = ()
    of: str = field(default="", metadata=OPTIONAL)
    none: Words = field(default_factory=dict, metadata=OPTIONAL)
    known: str = field(default="", metadata=OPTIONAL)
    shuffled: int = field(default=0, metadata=OPTIONAL)
    role: str = field(default="", metadata=OPTIONAL)
    shares: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    noise: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    share: str = field(default="", metadata=OPTIONAL)

    @property
    def is_option(self) -> bool:
        return self.form == OPTION

    @property
    def in_battery(self) -> bool:
        """Whether it is a line of a battery (builder.editing.arranging)."""
        return bool(self.of) and not self.is_option

    @property
    def choice_names(self) -> tuple[str, ...]:
        return tuple(choice.name for choice in self.choices)

    @property
    def law_settings(self) -> tuple[object, ...]:
        """What the form of a question sets of the law of its section; nothing of most kinds."""
        return ()

    def following(self, before: str, after: str) -> Self:
        """The question once the one that was called `before`, this or another, is called `after`."""
        rules = {after if name == before else name: allowed for name, allowed in self.show_if.items()}
        return replace(self, name=after if self.name == before else self.name, show_if=rules)

    def as_json(self) -> Node:
        """As it is stored: keys of a design, and the builder's own."""
        return dump(self)


@dataclass(frozen=True)
class Given:
    """A question as it was given, of which anything may be wrong, and what its name, words and rules became."""

    data: Mapping[str, Any]
    common: Mapping[str, Any]
    languages: Sequence[str]
