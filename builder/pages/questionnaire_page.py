"""Data of the page that edits a questionnaire: its sections and questions, each as a summary or as an open form."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from django.forms import Form
from django.utils.translation import gettext as _, ngettext

from builder.editing.commands import CONTROL, order_digest, section_digest
from builder.editing.questions_and_sections import subset_selection_proposal_text
from builder.editing.separately_saved_parts import (
    DraftPart,
    QuestionPart,
    SectionPart,
    StartPagePart,
    part_digest,
    report_line_text,
)
from builder.planning.further_section_effect import FurtherSectionEffect
from builder.protection.summary import opening_problems_sentence
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.question_form import choice_label_text, condition_question_text
from surveys.kinds.registry import KINDS, get_kind, get_kind_if_known
from surveys.questionnaire import translatable_texts
from surveys.questionnaire.answer_scales import SCALES
from surveys.questionnaire.choice_question_kinds import QUESTION_KINDS
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import Problem, language_name, path_in_words
from surveys.questionnaire.protection import MOST_EPSILON, PRIOR, Protection, person_protection
from surveys.questionnaire.question_block_editing import (
    Block,
    all_blocks,
    block_key,
    blocks_of_section,
    question_text_with_fallback,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.report_sentence_proposals import line_of_report


class MissingItem(NamedTuple):
    """A message about texts that a part lacks.

    `anchors` are the HTML ids of their fields; `language` is set if the message is about all missing texts of
    that language.
    """

    anchors: tuple[str, ...]
    words: str
    language: str = ""


class QuestionnairePage:
    """Data of the page that edits a questionnaire.

    `shown_keys`: keys of the parts shown as open forms. `sent`: forms that could not be saved, by part.
    `own_sections`: the kinds whose sections hold a single question.
    """

    def __init__(
        self,
        draft: Questionnaire,
        language: str,
        shown_keys: Collection[str] = (),
        problems: Sequence[Problem] = (),
        sent: Mapping[str, Form] | None = None,
    ) -> None:
        self.draft, self.language, self.languages = draft, language, draft.languages
        self.shown_keys, self.problems, self.sent = shown_keys, problems, sent or {}
        self.order = order_digest(draft)
        self.blocks = [block for _position, block in all_blocks(draft)]
        self.scales = [(key, scale.title) for key, scale in SCALES.items()]
        self.own_sections = {name: kind for name, kind in KINDS.items() if kind.adds}
        self.kinds = [
            (_("Kinds"), list(QUESTION_KINDS.items())),
            (_("Ready-made scales"), self.scales),
            (_("In a section of its own"), [(name, kind.adds) for name, kind in self.own_sections.items()]),
            (_("To check the answers"), [(CONTROL, _("A control item"))]),
        ]
        person = person_protection(draft, PRIOR)
        self.inside_only = person is not None and person.is_inside_regions_only
        # The person's epsilon, where a reviewer would have to allow it.
        self.weak = str(person.epsilon) if person and person.epsilon > MOST_EPSILON else ""
        # The price is said beside the button of the last section that takes questions.
        open_sections = [number for number, section in enumerate(draft.sections) if section.may_add_questions]
        self.price_at = open_sections[-1] if open_sections else None

    @cached_property
    def lacking(self) -> str:
        return opening_problems_sentence(self.draft, self.problems)

    @cached_property
    def further_section_sentence(self) -> str:
        """Sentence about how much wider the other margins of error become with one more disguised section."""
        return FurtherSectionEffect(self.draft).effect_sentence

    @cached_property
    def displayed_start_page(self) -> "DisplayedPart":
        view = DisplayedPart(self, translatable_texts.START, StartPagePart(self.language))
        around = [problem for problem in self.problems if not problem.path.startswith("sections")]
        view.lacks = self.missing_items(((problem, problem.path) for problem in around), view.form)
        return view

    @property
    def start_page_summary(self) -> list[tuple[str, str]]:
        """Label and text of each field of the start page, shown while its form is closed."""
        texts = {
            key: label
            for key, label in translatable_texts.start_page_text_labels(self.draft).items()
            if key != "title"
        }
        return [(str(label), getattr(self.draft, key).get(self.language, "")) for key, label in texts.items()]

    @cached_property
    def displayed_sections(self) -> list["DisplayedSection"]:
        views, number = [], 1
        for index, section in enumerate(self.draft.sections):
            views.append(DisplayedSection(self, index, section, number))
            number += len(views[-1].questions)
        return views

    def missing_items(
        self, problems: Iterable[tuple[Problem, str]], form: Form | None
    ) -> tuple[MissingItem, ...]:
        """Returns messages about the texts missing in this language, and one for each other language with
        missing texts.

        Fields of the open `form` are left out: a script marks them once the person has left the field.
        """
        fields = {field.field.widget.attrs.get("id") for field in form} if form else set()
        translations: dict[str, list[str]] = {code: [] for code in self.languages if code != self.language}
        items: list[MissingItem] = []
        for problem, path in problems:
            language = path.rpartition(".")[2]
            if problem.anchor in fields:
                continue
            if language in translations:
                translations[language].append(problem.anchor)
            else:
                items.append(MissingItem((problem.anchor,), _problem_text(problem, path)))
        for code, anchors in translations.items():
            if anchors:
                words = ngettext(
                    "%(count)s text is missing in %(language)s",
                    "%(count)s texts are missing in %(language)s",
                    len(anchors),
                )
                words %= {"count": len(anchors), "language": language_name(code)}
                items.append(MissingItem(tuple(anchors), words, code))
        return tuple(items)


class DisplayedPart:
    """A separately saved part of the draft on the page: closed, or open as a form, with its base (the digest that a
    save compares)."""

    lacks: tuple[MissingItem, ...] = ()

    def __init__(self, page: QuestionnairePage, key: str, part: DraftPart) -> None:
        self.page, self.key, self.part, self.dom_id = page, key, part, part.dom_id
        self.base = part_digest(part, page.draft)
        self.form = page.sent.get(key) or (part.build_form(page.draft) if key in page.shown_keys else None)


class DisplayedQuestion(DisplayedPart):
    """A question, or all options of a multiple-answer question, on the page; `number` counts over all sections."""

    def __init__(
        self, page: QuestionnairePage, kind: QuestionKind[Any], block: Block, number: int, paths: list[str]
    ) -> None:
        super().__init__(page, block_key(block), QuestionPart(block_key(block), page.language))
        self.number, self.block, self.question = number, block, block[0]
        self.words = question_text_with_fallback(block, page.language) if block[0].text else ""
        self.own_words = block[0].text.get(page.language, "")
        self.line = kind.summary_line(block, page.language)
        self.first, self.last = block == page.blocks[0], block == page.blocks[-1]
        self.lacks = page.missing_items(_problems_below_paths(paths, page.problems), self.form)
        self.report_line = report_line_text(line_of_report(page.draft, block, page.language))

    @property
    def rule_sentences(self) -> Iterator[str]:
        """Yields a sentence for each show-if rule, with the answers after which the question is asked."""
        language = self.page.language
        by_name = {question.name: (block, question) for block in self.page.blocks for question in block}
        for name, allowed in self.question.show_if.items():
            if name in by_name:
                block, ruling = by_name[name]
                choices = [choice for choice in ruling.choices if choice.name in allowed]
                answers = _(" or ").join(choice_label_text(choice, language) for choice in choices)
                words = {"ruling": condition_question_text(block, ruling, language), "answers": answers}
                yield _("Only if %(ruling)s: %(answers)s") % words


class DisplayedSection:
    """A section on the page; `text` is the part with its introductory text, None if it cannot be edited here."""

    protection: Protection | None = None
    promise = ""
    text: DisplayedPart | None = None

    def __init__(self, page: QuestionnairePage, index: int, section: DraftSection, number: int) -> None:
        self.number, self.section, self.key = index, section, f"{translatable_texts.SECTION}{index}"
        self.last = index == len(page.draft.sections) - 1
        self.intro = section.intro.get(page.language, "")
        self.title, self.sets, self.seen = (
            _("Disguised"),
            subset_selection_proposal_text(section),
            section_digest(section),
        )
        if kind := get_kind_if_known(section):
            self.title = str(kind.title)
            self.protection = kind.protection(section, page.draft.disguised_respondents, PRIOR)
            self.promise = kind.promise if self.protection else ""
        if section.is_known:
            self.text = DisplayedPart(page, self.key, SectionPart(self.key, page.language))
        self.movable = section.may_add_questions and (len(page.blocks) > 1 or len(page.draft.sections) > 1)
        self.anchors = [f"sections-{index}-{key}" for key in ("keep", "asked", "questions")]
        path = f"sections[{index}]"
        self.lacks = tuple(
            MissingItem((), _problem_text(problem, problem.path[len(path) + 1 :]))
            for problem in page.problems
            if problem.path.startswith(path) and ".questions[" not in problem.path
        )
        self.questions: list[DisplayedQuestion] = []
        first = 0
        for row, block in enumerate(blocks_of_section(section)):
            paths = [f"{path}.questions[{first + offset}]" for offset in range(len(block))]
            self.questions.append(DisplayedQuestion(page, get_kind(section), block, number + row, paths))
            first += len(block)


def _problems_below_paths(paths: Sequence[str], problems: Iterable[Problem]) -> Iterator[tuple[Problem, str]]:
    """Yields each problem below one of these paths of a draft, with the rest of its path. Problems with the same rest
    are yielded once, except those of choices."""
    seen: set[str] = set()
    for problem in problems:
        for path in paths:
            if problem.path.startswith(f"{path}."):
                rest = problem.path[len(path) + 1 :]
                if rest not in seen or "choices" in rest:
                    yield problem, rest
                seen.add(rest)


def _problem_text(problem: Problem, path: str) -> str:
    return _("%(place)s: %(reason)s") % {"place": path_in_words(path), "reason": problem.reason}
