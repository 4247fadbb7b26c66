"""A question of a draft: its texts, show-if rules and choices, and how these are parsed from JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from mining.json_codec import OPTIONAL, node_to_json
from privacy.grammar.json_node import PARTS, parts_to_decimal
from privacy.grammar.question import DRAWN, FORMS, SHUFFLED, TABLE_FORMS, YES_NO
from privacy.grammar.question_reading import LEAST_KNOWN_GAP, RESERVED_CHOICES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import SectionParameters, SupposedSupports, itemset_error_curve
from privacy.guarantee.section_layouts import admissible_keep
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.grouped.section import uniform_noise
from surveys.questionnaire.report_sentence_texts import ANSWER_TEXTS, answer_sentence_texts
from surveys.questionnaire.value_normalization import (
    Node,
    UniqueNames,
    normal_name,
    normal_probability,
    normal_texts,
    read_ten_thousandths,
)

Words = Mapping[str, str]
"""Translations of a text, by language."""
Rules = Mapping[str, Sequence[str]]
"""Show-if rules: names of earlier questions, each with the choices after which this question is shown."""
OPTION = "many"
"""Form of a single option of a question where several answers can be ticked."""


@dataclass(frozen=True)
class Choice:
    """A choice of a question.

    `predicate` and `people` express it in a report's sentence (surveys.questionnaire.report_sentence_texts).
    """

    name: str
    label: Words = field(default_factory=dict)
    predicate: Words = field(default_factory=dict, metadata=OPTIONAL)
    people: Words = field(default_factory=dict, metadata=OPTIONAL)

    def with_sentence_texts_from(self, choice: "Choice | None") -> Self:
        """Returns this choice with the report-sentence texts of another choice; without any if `choice` is None."""
        return replace(
            self, predicate=choice.predicate if choice else {}, people=choice.people if choice else {}
        )

    def without_sentence_texts_in(self, language: str) -> Self:
        texts: dict[str, Any] = {key: without_language(getattr(self, key), language) for key in ANSWER_TEXTS}
        return replace(self, **texts)

    def as_json(self) -> Node:
        return node_to_json(self)


def without_language(words: Words, language: str) -> Words:
    return {code: text for code, text in words.items() if code != language}


@dataclass(frozen=True, kw_only=True)
class DraftQuestion:
    """A question of a draft, with choices; kinds without choices derive from this class and leave those fields empty.

    `of` is the group of an option, or the battery (table of questions with one scale) of a line. `none` is the answer
    that excludes all options, stored with the first of them. `known` is the share of *yes* of a control item,
    `shuffled` the number of answers in random order.

    `role` belongs to plain questions, `shares` to those drawn by the device, `noise` and the expected `share` to
    disguised ones. Probabilities are texts with four decimals, as in a design. `takes_number`: people type a number,
    and the choices are its bands (surveys.questionnaire.plain_number_bands).
    """

    takes_number: ClassVar[bool] = False

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

    def without_number(self) -> "DraftQuestion":
        """Returns the question with its choices alone, so that people choose a band (range of numbers) and type no
        number."""
        return self

    @property
    def is_option(self) -> bool:
        return self.form == OPTION

    @property
    def is_line_of_battery(self) -> bool:
        """True if the question is a line of a battery: one of several questions with the same scale, shown as
        a table."""
        return bool(self.of) and not self.is_option

    @property
    def choice_names(self) -> tuple[str, ...]:
        return tuple(choice.name for choice in self.choices)

    @property
    def law_settings(self) -> tuple[object, ...]:
        """Settings of the question itself on which the probabilities of the disguise depend; empty for most kinds."""
        return ()

    @property
    def choices_without_sentence_texts(self) -> tuple[Choice, ...]:
        """The choices as respondents see them.

        Lines of a battery share them, while each line has its own sentence texts.
        """
        return tuple(choice.with_sentence_texts_from(None) for choice in self.choices)

    def without_sentence_texts_in(self, language: str) -> Self:
        """Returns the question without its sentence texts in this language, for a language removed from the survey."""
        return replace(
            self, choices=tuple(choice.without_sentence_texts_in(language) for choice in self.choices)
        )

    def with_renamed_question(self, before: str, after: str) -> Self:
        """Replaces the question name `before` by `after`, as this question's own name and in its show-if rules."""
        rules = {after if name == before else name: allowed for name, allowed in self.show_if.items()}
        return replace(self, name=after if self.name == before else self.name, show_if=rules)

    def as_json(self) -> Node:
        """Returns the JSON that a draft stores: keys of a design, and some that only the builder uses."""
        return node_to_json(self)


@dataclass(frozen=True)
class QuestionInput:
    """Unchecked JSON of a question (`data`), with its name, texts and rules already normalised (`common`)."""

    data: Mapping[str, Any]
    common: Mapping[str, Any]
    languages: Sequence[str]


# --- control items: yes/no questions whose share of *yes* is known among people who read them

KNOWN = "known"
KNOWN_OF_NEW = "0.0000"
"""Known share of a new control item, which is false for everybody, such as: I was born on the moon."""
SHARE = 0.1
"""Share of another question for which errors are compared."""


def read_known_share(data: Mapping[str, Any], form: str) -> str:
    """Reads the known share of a control item; empty for other questions, and for a share that a design would
    refuse."""
    parts = read_ten_thousandths(data.get(KNOWN)) if form == "yes-no" else None
    return parts_to_decimal(parts) if parts is not None and is_share_far_from_half(parts) else ""


def is_share_far_from_half(parts: int) -> bool:
    return 0 <= parts <= PARTS and abs(parts - PARTS // 2) >= LEAST_KNOWN_GAP


def error_growth_of_other_questions(law: SectionLaw, row: int) -> float | None:
    """Returns the factor by which the question in this row enlarges the errors of the other questions in its section,
    at equal gamma.

    None if it is the only question, or if the others could not be asked at this gamma.
    """

    def single_answer_error(law: SectionLaw, row: int) -> float:
        parameters = SectionParameters.from_law(law, [1] * len(law.noise))
        curve = itemset_error_curve([(parameters, [row])], SupposedSupports((SHARE,)))
        assert curve is not None
        return curve.error_for(1).se

    others = law.noise[:row] + law.noise[row + 1 :]
    if not others:
        return None
    asked = min(law.asked, len(others)) if law.asked < len(law.noise) else len(others)
    keep = admissible_keep(others, asked, GammaLimit(law.gamma, strict=False))
    before = single_answer_error(SectionLaw(keep, others, asked), 0) if keep else None
    return single_answer_error(law, 0 if row else 1) / before if before else None


# --- reading questions with choices, of all kinds


def with_device_draw(question: DraftQuestion, shares: object) -> DraftQuestion:
    """Returns the question as one that the device answers at random with these shares; with equal shares if
    they are invalid."""
    count = len(question.choices)
    equal = tuple(map(parts_to_decimal, uniform_noise(count))) if count else ()
    fitting = read_noise_probabilities(shares, count) or equal
    return replace(question, of="", known="", form=DRAWN, shares=fitting, show_if={})


def read_choices_question(given: QuestionInput) -> DraftQuestion:
    data = given.data
    choices = read_choices(data.get("choices"), given.languages)
    is_yes_no = tuple(choice.name for choice in choices) == YES_NO
    form = data.get("form", "yes-no" if is_yes_no else "one")
    if form not in FORMS or (form in ("yes-no", OPTION) and not is_yes_no):
        form = "one"
    group = normal_name(data.get("of"))
    if form == OPTION:
        group = group or given.common["name"]
    elif form not in TABLE_FORMS:
        group = ""
    return DraftQuestion(
        **given.common,
        form=form,
        choices=choices,
        known=read_known_share(data, form),
        shuffled=1 if data.get(SHUFFLED) else 0,
        of=group,
        none=normal_texts(data.get("none"), given.languages) if form == OPTION else {},
    )


def read_choices(given: object, languages: Sequence[str]) -> tuple[Choice, ...]:
    names, choices = UniqueNames(RESERVED_CHOICES), []
    for named in _list_or_empty(given):
        node = named if isinstance(named, Mapping) else {"name": named}
        name = names.make_unique(normal_name(node.get("name")) or "1")
        label = normal_texts(node.get("label"), languages)
        choices.append(Choice(name, label, **answer_sentence_texts(node, languages)))
    return tuple(choices)


def read_noise_probabilities(given: object, choices: int) -> tuple[str, ...]:
    """Reads one probability per choice; empty if their number or their sum is wrong."""
    values = _list_or_empty(given)
    if len(values) != choices:
        return ()
    noise = tuple(filter(None, map(normal_probability, values)))
    total = sum(int(decimals[2:]) for decimals in noise)
    return noise if len(noise) == choices and total == PARTS else ()


def _list_or_empty(given: object) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else ()


def keep_or_replace_choices(choices: Iterable[Choice], names: Sequence[str]) -> tuple[Choice, ...]:
    """Returns the choices unchanged if their names are `names`, else new choices with these names and no labels."""
    before = tuple(choices)
    return before if tuple(choice.name for choice in before) == tuple(names) else tuple(map(Choice, names))
