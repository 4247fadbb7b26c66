"""The page of the questionnaire: its sections and questions, each as a summary or as a form."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.forms import Form
from django.utils.functional import Promise
from django.utils.translation import gettext as _, ngettext

from builder.edits.commands import CONTROL, section_digest
from builder.edits.sending import sets_proposed
from builder.parts.parts import DraftPart, QuestionPart, SectionPart, StartPart, base_of
from builder.planning.further import FurtherSection
from builder.settings.missing import missing_text
from surveys.kinds.block_form import answer_text, ruling_words
from surveys.kinds.kind import SurveyKind
from surveys.kinds.registry import KINDS, kind_of, known_kind
from surveys.questionnaire import wording
from surveys.questionnaire.blocks import Block, all_blocks, blocks, key_of, question_text
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems import Problem, language_name, path_text
from surveys.questionnaire.protection import PRIOR, Protection, person_protection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import KINDS as QUESTION_KINDS
from surveys.questionnaire.scales import SCALES
from surveys.questionnaire.weakness import MOST_EPSILON


class MissingItem(NamedTuple):
    """What is missing in a part; `anchors` are ids of its fields. `language`: all of it is missing in that language."""

    anchors: tuple[str, ...]
    words: str
    language: str = ""


@dataclass
class QuestionnairePage:
    """`shown_keys`: the parts whose forms are shown; `sent`: forms that were not saved."""

    draft: Questionnaire
    language: str
    shown_keys: Collection[str]
    problems: Sequence[Problem]
    sent: dict[str, Form]
    scales: list[tuple[str, str | Promise]] = field(init=False)
    alone: dict[str, SurveyKind[Any]] = field(init=False)
    """The kinds that a section of one question is added of."""

    def __post_init__(self) -> None:
        self.languages = self.draft.languages
        self.translated = self.language != self.draft.first_language
        self.lacking = missing_text(self.draft)
        self.scales = [(key, scale.title) for key, scale in SCALES.items()]
        self.alone = {name: kind for name, kind in KINDS.items() if kind.adds}
        self.blocks = [block for _place, block in all_blocks(self.draft)]
        self.person = person_protection(self.draft, PRIOR)

    @property
    def kinds(self) -> list[tuple[str, Sequence[tuple[str, str | Promise]]]]:
        """The kinds of a new question, in groups."""
        return [
            (_("Kinds"), list(QUESTION_KINDS.items())),
            (_("Ready-made scales"), self.scales),
            (_("In a section of its own"), [(name, kind.adds) for name, kind in self.alone.items()]),
            (_("To check the answers"), [(CONTROL, _("A control item"))]),
        ]

    @property
    def inside_only(self) -> bool:
        return self.person is not None and self.person.inside_only

    @property
    def weak(self) -> str:
        """The person's epsilon, where a reviewer would have to allow it."""
        return str(self.person.epsilon) if self.person and self.person.epsilon > MOST_EPSILON else ""

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
    def start(self) -> "PartView":
        view = PartView(self, wording.START, StartPart(self.language))
        around = [each for each in self.problems if not each.path.startswith("sections")]
        view.lacks = self.lacks(((each, each.path) for each in around), view.form)
        return view

    @cached_property
    def start_facts(self) -> list[tuple[str, str]]:
        texts = wording.start_texts(self.draft).items()
        return [
            (str(label), getattr(self.draft, key).get(self.language, ""))
            for key, label in texts
            if key != "title"
        ]

    @cached_property
    def sections(self) -> list["SectionView"]:
        views, number = [], 1
        for index, section in enumerate(self.draft.sections):
            views.append(SectionView(self, index, section, number))
            number += len(views[-1].questions)
        return views

    def lacks(self, problems: Iterable[tuple[Problem, str]], form: Form | None) -> tuple[MissingItem, ...]:
        """Missing texts of this language one by one; those of other languages, which have their own page, counted.

        Of an open form, what its own fields lack is said by a script, once the person has left the field.
        """
        fields = {each.field.widget.attrs.get("id") for each in form} if form else set()
        others: dict[str, list[str]] = {code: [] for code in self.languages if code != self.language}
        items: list[MissingItem] = []
        for problem, path in problems:
            language = path.rpartition(".")[2]
            if problem.anchor in fields:
                continue
            if language in others:
                others[language].append(problem.anchor)
            else:
                items.append(MissingItem((problem.anchor,), _lack(problem, path)))
        for code, anchors in others.items():
            if anchors:
                words = ngettext(
                    "%(count)s text is missing in %(language)s",
                    "%(count)s texts are missing in %(language)s",
                    len(anchors),
                )
                words %= {"count": len(anchors), "language": language_name(code)}
                items.append(MissingItem(tuple(anchors), words, code))
        return tuple(items)


class PartView:
    """A part that is closed, or open with its form and the base that it is saved against."""

    lacks: tuple[MissingItem, ...] = ()

    def __init__(self, page: QuestionnairePage, key: str, part: DraftPart) -> None:
        self.page, self.key, self.part, self.dom_id = page, key, part, part.dom_id
        self.base = base_of(part, page.draft)
        self.form = page.sent.get(key) or (part.form(page.draft) if key in page.shown_keys else None)


class QuestionView(PartView):
    def __init__(
        self, page: QuestionnairePage, kind: SurveyKind[Any], block: Block, number: int, paths: list[str]
    ) -> None:
        super().__init__(page, key_of(block), QuestionPart(key_of(block), page.language))
        self.number, self.block, self.question = number, block, block[0]
        self.words = question_text(block, page.language) if block[0].text else ""
        self.own_words = block[0].text.get(page.language, "")
        self.line = kind.summary(block, page.language)
        self.first, self.last = block == page.blocks[0], block == page.blocks[-1]
        self.lacks = page.lacks(_within(page.problems, paths), self.form)

    @property
    def rules(self) -> Iterator[str]:
        named = {each.name: (block, each) for block in self.page.blocks for each in block}
        for ruling, allowed in self.question.show_if.items():
            if ruling in named:
                other, question = named[ruling]
                choices = [each for each in question.choices if each.name in allowed]
                answers = _(" or ").join(answer_text(each, self.page.language) for each in choices)
                words = {"ruling": ruling_words(other, question, self.page.language), "answers": answers}
                yield _("Only if %(ruling)s: %(answers)s") % words


class SectionView:
    """`text` is the part of the text before it; a section that is not edited here has none."""

    protection: Protection | None = None
    promise = ""
    text: PartView | None = None

    def __init__(self, page: QuestionnairePage, index: int, section: DraftSection, number: int) -> None:
        self.number, self.section, self.key = index, section, f"{wording.SECTION}{index}"
        self.last = index == len(page.draft.sections) - 1
        self.intro = section.intro.get(page.language, "")
        self.title, self.sets, self.seen = _("Disguised"), sets_proposed(section), section_digest(section)
        if kind := known_kind(section):
            self.title, self.protection = (
                str(kind.title),
                kind.protection(section, page.draft.respondents, PRIOR),
            )
            self.promise = kind.promise if self.protection else ""
        if section.is_known:
            self.text = PartView(page, self.key, SectionPart(self.key, page.language))
        self.anchors = [f"sections-{index}-{key}" for key in ("keep", "asked", "questions")]
        start = f"sections[{index}]"
        own = [
            each for each in page.problems if each.path.startswith(start) and ".questions[" not in each.path
        ]
        self.lacks = tuple(MissingItem((), _lack(each, each.path[len(start) + 1 :])) for each in own)
        self.movable = section.takes_questions and (len(page.blocks) > 1 or len(page.draft.sections) > 1)
        self.questions: list[QuestionView] = []
        first = 0
        for block in blocks(section):
            paths = [f"{start}.questions[{first + row}]" for row in range(len(block))]
            self.questions.append(
                QuestionView(page, kind_of(section), block, number + len(self.questions), paths)
            )
            first += len(block)


def _within(problems: Iterable[Problem], paths: Sequence[str]) -> Iterator[tuple[Problem, str]]:
    """The problems under these paths, the same words only once."""
    known: set[str] = set()
    for problem in problems:
        for path in paths:
            if problem.path.startswith(f"{path}."):
                rest = problem.path[len(path) + 1 :]
                if rest not in known or "choices" in rest:
                    yield problem, rest
                known.add(rest)


def _lack(problem: Problem, path: str) -> str:
    return _("%(place)s: %(reason)s") % {"place": path_text(path), "reason": problem.reason}
