"""Base class of questions: choices, codes of answers, and show-if rules."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import parts_to_decimal
from privacy.grammar.translated_texts import Texts

FORMS = ("yes-no", "one", "scale", "many")
DRAWN = "drawn"
"""Form of a plain question that the device answers by a random draw."""
SHUFFLED = "shuffled"
SHUFFLED_FORMS = ("one", "many")
"""Forms of questions whose choices have no order of their own."""
TABLE_FORMS = ("one", "scale")
"""Forms of questions that can share one table on the page if their choices are the same."""
YES_NO = ("no", "yes")

LISTED_BY_YES = frozenset({"yes-no", "many"})
"""Forms of which lists show only the second choice, *yes*: the first is its absence."""

Answers = Sequence[int | None]
"""The true code of every question of a design; None for a question that is not asked or does not apply."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of a question: its `name` in files, and its `label` that people read."""

    name: str
    label: Texts = field(default_factory=Texts)


@dataclass(frozen=True, slots=True)
class ShowIfRule:
    """A rule that shows a question only after certain answers to an earlier plain question.

    `place`: index of the earlier question among all questions of the design; `codes`: indexes of its choices.
    """

    question: str
    choices: tuple[str, ...]
    place: int
    codes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Question:
    """Base class of a question. A record's code below `codes` is an answer, for choices the choice's index.

    Two more codes, `not_asked` and `not_applicable`, say why a record has no answer. `withheld` is the code of `?` in
    record files, which no record contains; `width` is the number of digits of a code in the answer text.

    A true answer is below `true_codes`: for choices the index again, for a number the steps above the lowest. Where a
    rule hides the question, simulations write `true_hidden_code`.

    In a group (`form` many) each member is one option: its `text` is the group's question, the label of its choice yes
    is the option. `none`, on the first member, is the text of an option that excludes all others. In a table (the other
    forms with `of`) each member is a row, and all have the same choices.

    `shuffled`: number of choices, from the first, that are shown in a random order drawn by the device; 0: none. In a
    group it counts options and is on the first member.

    `share_parts`: only where the device draws the answer (`form` drawn): the shares of the choices in ten-thousandths.
    `known_parts`: only of a control item: the share of *yes* among people who read it, in ten-thousandths.

    `label`: short name in lists, charts and variables of files, where the text is too long.

    `scored`: the choices are items that may overlap, and a record has scores for them (privacy/kinds/scored_items.py).
    `asked_if_shown`: a device asks the question only where no rule hides it. `stored_as_integers`: batches hold the
    codes as integers, not a column of bits for each. `made_of_integers`: mining computes its columns from such
    integers. `withheld_if_open`: files that leave the product withhold the answer in open records, where it could
    reveal whose true sensitive answers these are.
    """

    scored: ClassVar[bool] = False
    asked_if_shown: ClassVar[bool] = False
    stored_as_integers: ClassVar[bool] = False
    made_of_integers: ClassVar[bool] = False
    withheld_if_open: ClassVar[bool] = False
    codes_by_group: ClassVar[bool] = False

    name: str
    form: str
    choices: tuple[Choice, ...]
    of: str = ""
    text: Texts = field(default_factory=Texts)
    help: Texts = field(default_factory=Texts)
    show_if: tuple[ShowIfRule, ...] = ()
    none: Texts = field(default_factory=Texts)
    share_parts: tuple[int, ...] = ()
    known_parts: int | None = None
    label: Texts = field(default_factory=Texts)
    shuffled: int = 0

    codes: int = field(init=False, repr=False, compare=False)
    true_codes: int = field(init=False, repr=False, compare=False)
    not_asked: int = field(init=False, repr=False, compare=False)
    not_applicable: int = field(init=False, repr=False, compare=False)
    withheld: int = field(init=False, repr=False, compare=False)
    width: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._set_codes(len(self.choices), len(self.choices))

    def _set_codes(self, codes: int, true_codes: int) -> None:
        """Sets the number of codes of a record and of true answers, and the codes that follow from them."""
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "true_codes", true_codes)
        object.__setattr__(self, "not_asked", codes)
        object.__setattr__(self, "not_applicable", codes + 1)
        object.__setattr__(self, "withheld", codes + 2)
        object.__setattr__(self, "width", len(str(codes + 1)))

    @property
    def true_hidden_code(self) -> int:
        """The code of a true answer that simulations write where a rule hides the question."""
        return self.true_codes + 1

    @property
    def code_names(self) -> tuple[str, ...]:
        """Name of each possible code of a record for this question, in order."""
        return tuple(choice.name for choice in self.choices)

    def true_code_named(self, name: str) -> int | None:
        """Returns the code of the true answer with this name in files; None if there is none."""
        names = self.code_names
        return names.index(name) if name in names else None

    @property
    def mined_codes(self) -> tuple[int, ...] | None:
        """For each code of a record the code that mining uses; None if all are the same."""
        return None

    def mined_code(self, true: int | None) -> int:
        """Returns the code that mining uses for a true answer; `true` None: a rule hides the question."""
        return self.not_applicable if true is None else true

    @property
    def secrets(self) -> tuple[Texts, ...]:
        """Texts that ask for a fact only the respondent knows (crosswise model); empty for other kinds."""
        return ()

    @property
    def turned_by(self) -> str:
        """Name of the drawn question that decides which of two versions is asked; empty: one version."""
        return ""

    @property
    def turned_place(self) -> int | None:
        """Index of the question `turned_by` in the design."""
        return None

    @property
    def item_count(self) -> int:
        """Number of items that mining makes of the question: its choices."""
        return self.codes

    @property
    def partition(self) -> tuple[int, ...]:
        """Items of which each person with an answer has exactly one."""
        return tuple(range(self.item_count))

    @property
    def listed_codes(self) -> range:
        """Codes whose shares are reported: for a yes/no question only *yes*."""
        return range(self.form in LISTED_BY_YES, self.codes)

    def codes_never_sent(self, is_open: bool) -> Collection[int]:
        """Returns the codes that no device sends in an open, or in a disguised, record.

        Only used for questions whose codes differ between the two groups.
        """
        return ()

    def applies(self, codes: Sequence[int | None]) -> bool:
        """Returns True if the show-if rules show this question; `codes`: earlier plain answers, by index."""
        return not self.show_if or all(codes[rule.place] in rule.codes for rule in self.show_if)

    def as_json(self) -> dict[str, Any]:
        members: dict[str, Any] = {
            "name": self.name,
            "form": self.form,
            "text": self.text.as_json(),
            "help": self.help.as_json(),
            "choices": [{"name": choice.name, "label": choice.label.as_json()} for choice in self.choices],
            "show_if": {rule.question: list(rule.choices) for rule in self.show_if},
        }
        used = {
            "of": self.of,
            "none": self.none.as_json(),
            "shares": list(map(parts_to_decimal, self.share_parts)),
            "known": "" if self.known_parts is None else parts_to_decimal(self.known_parts),
            SHUFFLED: self.shuffled,
        }
        return members | {key: value for key, value in used.items() if value} | self.label_json()

    def label_json(self) -> dict[str, Any]:
        """Returns the JSON member of the question's label, or nothing for a question without label."""
        return {"label": self.label.as_json()} if self.label else {}


def check_show_if_rules(question: Question, code: int, codes: Sequence[int] | None) -> None:
    """Refuses an answer that contradicts the show-if rules of its question.

    The code must be *not applicable* if the rules hide the question, else an answer. `codes`: plain answers by index;
    None: they are withheld, so nothing is checked.
    """
    hidden = code == question.not_applicable
    if codes is None:
        if hidden and not question.show_if:
            raise InputError(question.name, _("not applicable, but no rule hides it"))
    elif hidden == question.applies(codes):
        if hidden:
            raise InputError(
                question.name, _("not applicable, but the answers that are not disguised show it")
            )
        raise InputError(question.name, _("answered, but the answers that are not disguised hide it"))


def require_code(question: Question, code: int | None) -> int:
    """Returns the code of a true answer; refuses None and a code above those of the question."""
    if code is None or not 0 <= code < question.true_codes:
        raise InputError(question.name, _("is not answered"))
    return code
