"""Base class of a draft's sections, with everything that all kinds have in common. surveys.kinds.kind_interface adds
the pages of a kind."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, Self

from django.utils.translation import gettext as _

from mining.json_codec import node_to_json
from privacy.grammar.question import SHUFFLED_FORMS, YES_NO
from privacy.guarantee.presets import PRESETS
from privacy.kinds.disguise_law_interface import Disguised
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.section_intro_and_random_order import INTRO, ORDER, RANDOM
from surveys.draft_json import PREFER_NOT, PRESET
from surveys.phrases.fixed_page_sentence import Phrases
from surveys.questionnaire.draft_question import DraftQuestion, QuestionInput, Words
from surveys.questionnaire.value_normalization import (
    Node,
    UniqueNames,
    list_or_empty,
    normal_name,
    normal_texts,
)

COMMON_TEXTS = ("text", "label", "help")


class QuestionText(NamedTuple):
    """A translatable text of a question; `texts` are by language, `most` is the limit in characters (0: the usual one).

    `is_sentence`: the text is used inside sentences of reports, and is never reported as missing.
    """

    field: str
    path: str
    label: str
    texts: Words
    required: bool
    most: int = 0
    is_sentence: bool = False


@dataclass(frozen=True, kw_only=True)
class DraftSection(ABC):
    """Base class of the sections of a draft; each kind derives its own. Imports neither forms nor numpy, since the
    process that reads uploads needs it.

    `texts` are the texts of a question, besides those of its choices. `own_keys` are keys of a question that a design
    does not get. A section that `holds_one` question takes no other: the section is moved, copied and deleted with it.
    That question has answers to choose from only where it `lists_answers`; it `sends_sets` where a set of choices is
    sent. `has_settings`: the protection can be set, so a preset can decide it. `throws`: the device throws coins for
    it.

    `phrases` are the fixed sentences that respondents can meet because of such a section, `script_phrases` those that
    scripts say. `preset` is the name of the protection preset that decides the settings; empty if they are set by hand.
    """

    kind: ClassVar[str]
    is_known: ClassVar[bool] = True
    sensitive: ClassVar[bool] = True
    texts: ClassVar[tuple[str, ...]] = COMMON_TEXTS
    own_keys: ClassVar[frozenset[str]] = frozenset()
    holds_one: ClassVar[bool] = True
    lists_answers: ClassVar[bool] = False
    sends_sets: ClassVar[bool] = False
    has_settings: ClassVar[bool] = True
    throws: ClassVar[bool] = True
    phrases: ClassVar[Phrases] = {}
    script_phrases: ClassVar[Phrases] = {}

    questions: tuple[DraftQuestion, ...] = ()
    intro: Words = field(default_factory=dict)
    preset: str = ""
    random_order: bool = False

    @classmethod
    @abstractmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        """Parses a question from unchecked JSON; replaces every invalid value by a valid one."""

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parses the fields that only this kind of section has, from unchecked JSON."""
        return {}

    def kind_settings_json(self) -> Node:
        """Returns the fields that only this kind of section has, as JSON."""
        shared = {field.name for field in fields(DraftSection)}
        members = node_to_json(replace(self, questions=()))
        return {key: value for key, value in members.items() if key not in shared}

    @abstractmethod
    def disguise_law(self) -> Disguised | None:
        """Returns the probabilities with which answers are disguised (the law); None if nothing is disguised, or if the
        settings are invalid."""

    @property
    def is_lasting(self) -> bool:
        """True if the disguise is drawn once for all rounds of a study, and fixed by a code that the person keeps."""
        return False

    def cumulative_disclosure_law(self) -> Disguised | None:
        """Returns the law (probabilities of the disguise) that bounds what a person reveals: by one record, or by all
        rounds of a study if the disguise is lasting."""
        return self.disguise_law()

    def single_choice_law(self) -> SectionLaw | None:
        """Returns the law (probabilities) by which one choice of a question is disguised; None if the section sends
        something else, such as sets of choices."""
        return None

    def keep_when_sent_as_one_choice(self) -> str:
        """Returns the keep probability that protects equally if one choice is sent instead of a set of choices; empty
        unless the section sends sets."""
        return ""

    @property
    def may_add_questions(self) -> bool:
        """True if a researcher can add questions to the section."""
        return not self.holds_one

    @property
    def xlsform_obstacle(self) -> str:
        """Reason why the section cannot be exported as XLSForm; empty if it can."""
        return "" if self.may_add_questions else _("XLSForm has no word for a section of this kind")

    def normalized(self) -> Self:
        """Returns the section with settings corrected to fit its questions."""
        return replace(
            self,
            questions=tuple(recount_shuffled_answers(self.questions)),
            preset=self.preset if self.has_settings and self.preset in PRESETS else "",
            random_order=self.random_order and not self.holds_one,
        )

    def restore_lost_settings(self, settings: Mapping[str, Any]) -> Self:
        """Restores settings, given as JSON, that the section lost when a question or an answer was deleted."""
        return self

    def as_json(self) -> Node:
        """Returns the JSON that a draft stores: keys of a design, and some that only the builder uses."""
        given = {
            PRESET: self.preset,
            INTRO: dict(self.intro),
            ORDER: RANDOM if self.random_order else "",
        }
        shown = {key: value for key, value in given.items() if value}
        questions = [question.as_json() for question in self.questions]
        return {"kind": self.kind, **self.kind_settings_json(), **shown, "questions": questions}

    @classmethod
    def complete_question(cls, question: Mapping[str, Any]) -> Node:
        """Adds missing parts to the JSON of an unfinished question, so that a design with it can be checked."""
        return complete_question(question)

    def adapt_moved_question(self, question: DraftQuestion) -> DraftQuestion:
        """Converts a question that is moved here from a section of another kind."""
        return question

    def text_keys_of_question(self, question: DraftQuestion) -> Sequence[str]:
        """Returns the names of the translatable texts that this question has, such as text, label and help."""
        return self.texts

    def kind_specific_texts(self, question: DraftQuestion, path: str) -> Iterator[QuestionText]:
        """Yields the translatable texts that only this kind of question has, such as a unit."""
        return iter(())

    def set_kind_specific_texts(
        self, question: DraftQuestion, language: str, words: Mapping[str, str]
    ) -> DraftQuestion:
        """Sets in one language the texts that only this kind of question has.

        `words` has the texts by field (`QuestionText.field`); a field that it lacks keeps its text.
        """
        return question

    def kind_specific_text_faults(
        self, question: DraftQuestion, words: Mapping[str, Any]
    ) -> Iterator[tuple[str, str]]:
        """Yields field and reason for each invalid text in `words`, among the fields that
        `kind_specific_texts` lists."""
        return iter(())

    @classmethod
    def read_sections(
        cls, data: Mapping[str, Any], languages: Sequence[str], names: UniqueNames, groups: UniqueNames
    ) -> Iterator["DraftSection"]:
        """Yields the section read from unchecked JSON.

        A kind whose sections hold one question yields a section for each question: several, or none.
        """
        questions = []
        for node in list_or_empty(data.get("questions")):
            if isinstance(node, Mapping):
                common: Node = {key: normal_texts(node.get(key), languages) for key in cls.texts}
                common["name"] = names.make_unique(normal_name(node.get("name")) or "q1")
                common["show_if"] = read_show_if_rules(node.get("show_if"))
                questions.append(cls.read_question(QuestionInput(node, common, languages)))
        preset = data.get(PRESET)
        section = cls(
            intro=normal_texts(data.get(INTRO), languages),
            preset=preset if isinstance(preset, str) else "",
            random_order=data.get(ORDER) == RANDOM,
            **cls.read_kind_settings(data),
        )
        if not cls.holds_one:
            yield replace(
                section,
                questions=drop_none_of_these_after_first_option(with_distinct_groups(questions, groups)),
            ).normalized()
            return
        for number, question in enumerate(questions):
            intro = {} if number else section.intro
            yield replace(section, intro=intro, questions=(question,)).normalized()

    def in_languages(self, languages: Sequence[str]) -> "DraftSection":
        """Returns the section with texts in these languages only."""
        (section,) = self.read_sections(self.as_json(), languages, UniqueNames(), UniqueNames())
        return section


def read_show_if_rules(given: object) -> dict[str, tuple[str, ...]]:
    rules = {}
    for name, allowed in given.items() if isinstance(given, Mapping) else ():
        if isinstance(allowed, list) and normal_name(name):
            rules[normal_name(name)] = tuple(dict.fromkeys(map(normal_name, allowed)))
    return rules


def with_distinct_groups(
    questions: Sequence[DraftQuestion],
    groups: UniqueNames,
    is_member: Callable[[DraftQuestion], bool] = lambda question: True,
) -> list[DraftQuestion]:
    """Gives each unbroken run of questions with the same group name a unique group name.

    A later run with the same name becomes another group, and lines of a battery with a different scale
    another battery. Questions for which `is_member` is False keep their group name.
    """
    result: list[DraftQuestion] = []
    current: tuple[Any, ...] = ()
    name = ""
    for question in questions:
        member_of = question.of if is_member(question) else ""
        group = (
            member_of,
            question.form,
            None if question.is_option else question.choices_without_sentence_texts,
        )
        if group != current or not member_of:
            current, name = group, groups.make_unique(member_of) if member_of else ""
        result.append(replace(question, of=name) if name else question)
    return result


def drop_none_of_these_after_first_option(questions: Sequence[DraftQuestion]) -> tuple[DraftQuestion, ...]:
    """Removes the answer *none of these* from all options of a group but the first, which stores it."""
    result: list[DraftQuestion] = []
    for question in questions:
        is_first = not result or result[-1].of != question.of
        result.append(question if is_first or not question.none else replace(question, none={}))
    return tuple(result)


@dataclass(frozen=True, kw_only=True)
class UnknownKindSection(DraftSection):
    """A section of a kind that this version does not know; it is stored unchanged, and can be moved and deleted."""

    kind: ClassVar[str] = ""
    is_known: ClassVar[bool] = False
    has_settings: ClassVar[bool] = False
    data: Mapping[str, Any]

    @classmethod
    def read_sections(
        cls, data: Mapping[str, Any], languages: Sequence[str], names: UniqueNames, groups: UniqueNames
    ) -> Iterator["DraftSection"]:
        yield cls(data=data)

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        raise NotImplementedError("its questions are not read")

    def kind_settings_json(self) -> Node:
        return dict(self.data)

    def as_json(self) -> Node:
        return dict(self.data)

    def normalized(self) -> Self:
        return self

    def disguise_law(self) -> None:
        return None

    def in_languages(self, languages: Sequence[str]) -> "DraftSection":
        return self


# --- answers in random order: all of a person's own, so "Prefer not to say" stays last

FEWEST = 2


def recount_shuffled_answers(questions: Sequence[DraftQuestion]) -> list[DraftQuestion]:
    """Recomputes how many answers the device may shuffle, for each question or group that is shuffled.

    The first question of a group holds the count, the others hold 0.
    """
    result: list[DraftQuestion] = []
    # A question and a group may have the same name.
    keys = [
        (question.is_option, question.of if question.is_option else question.name) for question in questions
    ]
    for _key, members in groupby(zip(keys, questions, strict=True), itemgetter(0)):
        block = [question for _key, question in members]
        result += set_answer_order(block, any(question.shuffled for question in block))
    return result


def count_movable_answers(block: Sequence[DraftQuestion]) -> int:
    """Returns the number of answers that can be shuffled: all but "prefer not to say"."""
    names = [question.name for question in block] if block[0].is_option else block[0].choice_names
    last = names[-1] if names else ""
    return len(names) - (last == PREFER_NOT or last.endswith(f"-{PREFER_NOT}"))


def may_shuffle_answers(block: Sequence[DraftQuestion]) -> bool:
    """True if the answers may be shown in random order: they have no natural order, and no rule depends on
    their order."""
    first = block[0]
    if first.form not in SHUFFLED_FORMS or first.is_line_of_battery or first.takes_number:
        return False
    if first.choice_names[: count_movable_answers(block)] == YES_NO and first.form == "one":
        return False
    names = {question.name for question in block}
    return count_movable_answers(block) >= FEWEST and not any(
        names & question.show_if.keys() for question in block
    )


def set_answer_order(block: Sequence[DraftQuestion], is_random: bool) -> list[DraftQuestion]:
    """Sets whether the device shuffles the answers of a question or shows them in the written order."""
    first = count_movable_answers(block) if is_random and may_shuffle_answers(block) else 0
    return [
        replace(question, shuffled=0 if number else first) if question.shuffled or first else question
        for number, question in enumerate(block)
    ]


# --- unfinished questions, with whatever a design needs of them

ANY_CHOICES = ["a", "b", "c"]


def complete_question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Adds what a design requires of an unfinished question: at least two choices, and no rule without choices."""
    complete = without_empty_rules(question)
    choices = question.get("choices")
    if isinstance(choices, list) and len(choices) < 2:
        names = [choice.get("name") if isinstance(choice, Mapping) else choice for choice in choices]
        complete["choices"] = [*choices, *(name for name in ANY_CHOICES if name not in names)][:2]
        complete.pop("noise", None)
    return complete


def without_empty_rules(question: Mapping[str, Any]) -> dict[str, Any]:
    """Removes the show-if rules that name no choice yet."""
    rules = question.get("show_if")
    if not isinstance(rules, Mapping):
        return dict(question)
    return {**question, "show_if": {name: allowed for name, allowed in rules.items() if allowed != []}}
