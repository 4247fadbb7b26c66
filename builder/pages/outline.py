"""The page of the questionnaire: its sections and questions, each as a summary or as a form."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.forms import Form
from django.utils.functional import Promise
from django.utils.translation import gettext as _, ngettext

from builder.edits.commands import CONTROL, section_digest
from builder.edits.sending import sets_proposed
from builder.parts.parts import DraftPart, QuestionPart, SectionPart, StartPart, base_of
from builder.planning.further import FurtherSection
from builder.settings.missing import missing_text
from surveys.kinds.forms.block_form import answer_of, ruling_words
from surveys.kinds.forms.block_lines import BlockLine
from surveys.kinds.kind import SurveyKind
from surveys.kinds.registry import KINDS, kind_of, known_kind
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import Block, all_blocks, blocks, key_of, question_text
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems import Problem, language_name, path_text
from surveys.questionnaire.protection import PRIOR, Protection, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import KINDS as QUESTION_KINDS
from surveys.questionnaire.scales import SCALES
from surveys.questionnaire.weakness import MOST_EPSILON

Kinds = Sequence[tuple[str, str | Promise]]


@dataclass(frozen=True)
class MissingItem:
    """What is missing in a part; `anchors` are ids of its fields. `language`: all of it is missing in that language."""

    anchors: tuple[str, ...]
    words: str
    language: str = ""


@dataclass(frozen=True)
class PartView:
    """A part that is closed, or open with its form and the base that it is saved against."""

    part: DraftPart
    base: str
    form: Form | None
    lacks: tuple[MissingItem, ...]

    @property
    def dom_id(self) -> str:
        return self.part.dom_id


@dataclass(frozen=True)
class QuestionView(PartView):
    kind: SurveyKind[Any]
    block: Block
    number: int
    language: str
    rules: tuple[str, ...]
    first: bool
    last: bool
    movable: bool

    @property
    def key(self) -> str:
        return key_of(self.block)

    @property
    def words(self) -> str:
        return question_text(self.block, self.language) if self.block[0].text else ""

    @property
    def own_words(self) -> str:
        """Its words in the language that a person writes in."""
        return self.block[0].text.get(self.language, "")

    @cached_property
    def line(self) -> BlockLine:
        return self.kind.summary(self.block, self.language)

    @property
    def battery(self) -> bool:
        return self.block[0].in_battery

    @property
    def shuffled(self) -> bool:
        return bool(self.block[0].shuffled)

    @property
    def quasi(self) -> bool:
        return self.block[0].role == "quasi"


@dataclass(frozen=True)
class SectionView:
    """`text` is the part of the text before it; a section that is not edited here has none."""

    number: int
    section: DraftSection
    questions: tuple[QuestionView, ...]
    lacks: tuple[MissingItem, ...]
    protection: Protection | None
    promise: str
    last: bool
    text: PartView | None
    language: str

    @property
    def key(self) -> str:
        return f"{wording.SECTION}{self.number}"

    @property
    def intro(self) -> str:
        return self.section.intro.get(self.language, "")

    @property
    def is_shuffled(self) -> bool:
        return self.section.random_order

    @property
    def sensitive(self) -> bool:
        return self.section.sensitive

    @property
    def title(self) -> str:
        kind = known_kind(self.section)
        return str(kind.title if kind else _("Disguised"))

    @property
    def sets(self) -> str:
        """The proposal to send sets of answers."""
        return sets_proposed(self.section)

    @property
    def sends_sets(self) -> bool:
        return self.section.sends_sets

    @property
    def edited(self) -> bool:
        return self.section.is_known

    @property
    def takes_questions(self) -> bool:
        return self.section.takes_questions

    @property
    def seen(self) -> str:
        return section_digest(self.section)

    @property
    def anchors(self) -> list[str]:
        return [f"sections-{self.number}-{key}" for key in ("keep", "asked", "questions")]


@dataclass(frozen=True)
class QuestionnairePage:
    """`shown_keys`: the parts whose forms are shown; `sent`: forms that were not saved."""

    draft: Questionnaire
    language: str
    shown_keys: Collection[str]
    problems: Sequence[Problem]
    sent: dict[str, Form]

    @property
    def translated(self) -> bool:
        return self.language != self.draft.first_language

    @property
    def lacking(self) -> str:
        return missing_text(self.draft)

    @property
    def languages(self) -> Sequence[str]:
        return self.draft.languages

    @property
    def alone(self) -> dict[str, SurveyKind[Any]]:
        """The kinds that a section of one question is added of."""
        return {name: kind for name, kind in KINDS.items() if kind.adds}

    @property
    def kinds(self) -> list[tuple[str, Kinds]]:
        """The kinds of a new question, in groups."""
        scales = [(key, scale.title) for key, scale in SCALES.items()]
        alone = [(name, kind.adds) for name, kind in self.alone.items()]
        return [
            (_("Kinds"), list(QUESTION_KINDS.items())),
            (_("Ready-made scales"), scales),
            (_("In a section of its own"), alone),
            (_("To check the answers"), [(CONTROL, _("A control item"))]),
        ]

    @property
    def scales(self) -> list[tuple[str, str | Promise]]:
        """The scales of a battery."""
        return [(key, scale.title) for key, scale in SCALES.items()]

    @cached_property
    def _person(self) -> Protection | None:
        return person_protection(self.draft, PRIOR)

    @property
    def inside_only(self) -> bool:
        return self._person is not None and self._person.inside_only

    @property
    def weak(self) -> str:
        """The person's epsilon, where a reviewer would have to allow it."""
        person = self._person
        return str(person.epsilon) if person and person.epsilon > MOST_EPSILON else ""

    @cached_property
    def price(self) -> str:
        """What another disguised section would cost the others, in words."""
        return FurtherSection(self.draft).words

    @property
    def price_at(self) -> int | None:
        """The section beside whose button it is said: the last that takes questions; None where none does."""
        sections = enumerate(self.draft.sections)
        return max((number for number, section in sections if section.takes_questions), default=None)

    @cached_property
    def start(self) -> PartView:
        part = StartPart(self.language)
        form = self._form(wording.START, part)
        return PartView(part, base_of(part, self.draft), form, self._lacks([], form))

    @cached_property
    def start_facts(self) -> list[tuple[str, str]]:
        return [
            (str(label), getattr(self.draft, key).get(self.language, ""))
            for key, label in wording.start_texts(self.draft).items()
            if key != "title"
        ]

    @cached_property
    def sections(self) -> list[SectionView]:
        made, number = [], 1
        last = len(self.draft.sections) - 1
        for index, section in enumerate(self.draft.sections):
            questions = self._questions(index, section, number)
            number += len(questions)
            lacks = self._own_lacks(index)
            kind = known_kind(section)
            protection = kind.protection(section, self.draft.respondents, PRIOR) if kind else None
            promise = kind.promise if kind and protection else ""
            text = self._text(index) if section.is_known else None
            made.append(
                SectionView(
                    index, section, questions, lacks, protection, promise, index == last, text, self.language
                )
            )
        return made

    def _text(self, index: int) -> PartView:
        key = f"{wording.SECTION}{index}"
        part = SectionPart(key, self.language)
        return PartView(part, base_of(part, self.draft), self._form(key, part), ())

    def _questions(self, index: int, section: DraftSection, number: int) -> tuple[QuestionView, ...]:
        made: list[QuestionView] = []
        first, all_keys = 0, self._keys
        for block in blocks(section):
            key = key_of(block)
            part = QuestionPart(key, self.language)
            form = self._form(key, part)
            paths = [f"sections[{index}].questions[{first + row}]" for row in range(len(block))]
            made.append(
                QuestionView(
                    part,
                    base_of(part, self.draft),
                    form,
                    self._lacks(paths, form),
                    kind_of(section),
                    block,
                    number + len(made),
                    self.language,
                    tuple(self._rules(block)),
                    key == all_keys[0],
                    key == all_keys[-1],
                    section.takes_questions and (len(all_keys) > 1 or len(self.draft.sections) > 1),
                )
            )
            first += len(block)
        return tuple(made)

    @cached_property
    def _keys(self) -> list[str]:
        return [key_of(block) for _place, block in all_blocks(self.draft)]

    @cached_property
    def _named(self) -> dict[str, tuple[Block, DraftQuestion]]:
        return {each.name: (block, each) for _place, block in all_blocks(self.draft) for each in block}

    def _form(self, key: str, part: DraftPart) -> Form | None:
        if key in self.sent:
            return self.sent[key]
        return part.form(self.draft) if key in self.shown_keys else None

    def _rules(self, block: Block) -> list[str]:
        made = []
        for ruling, allowed in block[0].show_if.items():
            if ruling in self._named:
                other, question = self._named[ruling]
                choices = [each for each in question.choices if each.name in allowed]
                said_answers = _(" or ").join(answer_of(each, self.language) for each in choices)
                words = {"ruling": ruling_words(other, question, self.language), "answers": said_answers}
                made.append(_("Only if %(ruling)s: %(answers)s") % words)
        return made

    def _lacks(self, paths: Sequence[str], form: Form | None) -> tuple[MissingItem, ...]:
        """Missing texts of this language one by one; those of other languages, which have their own page, counted.

        Of an open form, what its own fields lack is said by a script, once the person has left the field.
        """
        fields = {field.field.widget.attrs.get("id") for field in form} if form else set()
        others: dict[str, list[str]] = {code: [] for code in self.languages if code != self.language}
        items: list[MissingItem] = []
        for problem, path in self._within(paths):
            language = path.rpartition(".")[2]
            if problem.anchor in fields:
                continue
            if language in others:
                others[language].append(problem.anchor)
            else:
                items.append(MissingItem((problem.anchor,), _lack(problem, path)))
        return (*items, *(_in_language(code, anchors) for code, anchors in others.items() if anchors))

    def _within(self, paths: Sequence[str]) -> Iterator[tuple[Problem, str]]:
        """The problems under these paths, the same words only once; without a path, those around the questions."""
        known: set[str] = set()
        for problem in self.problems:
            if not paths and not problem.path.startswith("sections"):
                yield problem, problem.path
            for path in paths:
                if problem.path.startswith(f"{path}."):
                    rest = problem.path[len(path) + 1 :]
                    if rest not in known or "choices" in rest:
                        yield problem, rest
                    known.add(rest)

    def _own_lacks(self, index: int) -> tuple[MissingItem, ...]:
        start = f"sections[{index}]"
        own = [
            each for each in self.problems if each.path.startswith(start) and ".questions[" not in each.path
        ]
        return tuple(MissingItem((), _lack(each, each.path[len(start) + 1 :])) for each in own)


def _in_language(code: str, anchors: Sequence[str]) -> MissingItem:
    words = ngettext(
        "%(count)s text is missing in %(language)s",
        "%(count)s texts are missing in %(language)s",
        len(anchors),
    )
    return MissingItem(tuple(anchors), words % {"count": len(anchors), "language": language_name(code)}, code)


def _lack(problem: Problem, path: str) -> str:
    return _("%(place)s: %(reason)s") % {"place": path_text(path), "reason": problem.reason}
