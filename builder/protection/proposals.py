"""Proposes settings with the least error within a limit of protection that the person sets.

The first proposal keeps all sections, each with an equal share of the limit. The others regroup the questions in the
few best ways. Numbers, places and sets of choices stay in their sections, which get equal shares too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod

from django.utils.translation import gettext as _, ngettext

from builder.protection.summary import ProtectionSummary
from privacy.designs.labels import section_number
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import limit_per_section
from privacy.guarantee.section_layout_search import search_layouts
from privacy.guarantee.section_layouts import (
    Layout,
    LayoutAim,
    PlacedSection,
    best_one_section_layout,
    make_layout,
)
from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.grouped.draft import GroupedDraft, grouped_laws, is_grouped_section
from surveys.kinds.grouped.guarantee_and_errors import (
    expected_answer_share,
    section_with_law,
    supposed_shares_by_itemset_length,
)
from surveys.kinds.registry import get_kind
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import (
    PRIOR,
    laws_of_adjustable_sections,
    limit_left_by_fixed_sections,
    remove_presets,
    section_laws,
)
from surveys.questionnaire.question_block_editing import replace_section_normalized
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.show_if_rules import check_rules
from ui.number_format import format_count

cached_layouts = lru_cache(maxsize=32)(search_layouts)


@dataclass(frozen=True)
class Proposal:
    """Proposed settings within the person's limit; `number` identifies the proposal, and number 0 keeps all questions
    in their sections.

    `layout` is the grouping of the questions, None if no questions are disguised together. `singles`: the sections with
    a single question (number, place or set of choices), by number in the draft.
    """

    draft: Questionnaire
    number: int
    layout: Layout | None
    singles: dict[int, DraftSection]
    prior: Fraction = PRIOR

    @property
    def proposed_laws(self) -> list[SectionLaw]:
        return [part.law for part in self.layout.sections] if self.layout else []

    @cached_property
    def draft_with_proposal(self) -> Questionnaire:
        """The draft with the proposed settings; new sections are inserted where the last disguised section was."""
        draft = self.draft
        for number, section in self.singles.items():
            draft = replace_section_normalized(draft, number, section)
        draft = remove_presets(draft)
        if self.layout is None:
            return draft
        grouped = list(grouped_laws(draft))
        if not self.moves_questions:
            for (number, _law), law in zip(grouped, self.proposed_laws, strict=True):
                section = draft.sections[number]
                assert is_grouped_section(section)
                draft = replace_section_normalized(draft, number, section_with_law(section, law))
            return draft
        numbers = [number for number, _law in grouped]
        end = numbers[-1] + 1
        rest = (section for number, section in enumerate(draft.sections[:end]) if number not in numbers)
        sections = (*rest, *_sections_of_layout(draft, self.layout), *draft.sections[end:])
        return check_rules(draft, replace(draft, sections=sections))

    @cached_property
    def resulting_summary(self) -> ProtectionSummary:
        """The summary of protection and precision that the page will show once the proposal is applied."""
        return ProtectionSummary(self.draft_with_proposal, self.prior)

    @property
    def moves_questions(self) -> bool:
        """True if the proposal moves questions into other sections."""
        return self.layout is not None and self.number != 0

    @property
    def regrouping_sentence(self) -> str:
        """Sentence that says which sections are merged or split; empty if all questions stay where they are."""
        if not self.moves_questions:
            return ""
        before = [section_number(number) for number, _law in grouped_laws(self.draft)]
        if len(before) == 1:
            words = _("Section %(before)s is split into %(after)s sections.")
        elif len(self.proposed_laws) == 1:
            words = _("Sections %(before)s are merged into one.")
        elif len(self.proposed_laws) < len(before):
            words = _("Sections %(before)s are merged into %(after)s sections.")
        else:
            words = _("The questions of sections %(before)s are moved into %(after)s new sections.")
        return words % {
            "before": list_numbers_as_text(before),
            "after": format_count(len(self.proposed_laws)),
        }

    @property
    def lost_texts_sentence(self) -> str:
        """Sentence that lists the introductory texts that the proposal deletes with their sections; empty if there are
        none."""
        if not self.moves_questions:
            return ""
        kept = [section.intro for section in self.draft_with_proposal.sections]
        intros = [(number, self.draft.sections[number].intro) for number, _law in grouped_laws(self.draft)]
        lost = [section_number(number) for number, intro in intros if intro and intro not in kept]
        words = ngettext(
            "The text before section %(numbers)s is left out.",
            "The texts before sections %(numbers)s are left out.",
            len(lost),
        )
        return words % {"numbers": list_numbers_as_text(lost)} if lost else ""


def list_numbers_as_text(numbers: Sequence[int]) -> str:
    """Returns the numbers as a list in a sentence: 2, 3 and 5."""
    *first, last = map(format_count, numbers)
    return _("%(first)s and %(last)s") % {"first": ", ".join(first), "last": last} if first else last


def propose_settings(
    draft: Questionnaire, limit: GammaLimit, length: int, prior: Fraction = PRIOR
) -> list[Proposal]:
    """Returns proposals of settings within the limit of gamma: first for the present sections, then for other layouts,
    sorted by error.

    `length` is the number of answers in the itemsets whose errors are compared.
    """
    limit = limit_left_by_fixed_sections(draft, limit)
    singles = _one_question_sections_within_limit(draft, limit) if limit.gamma > 1 else None
    if singles is None:
        return []
    questions = _regroupable_questions(draft)
    if not questions:
        return [Proposal(draft, 0, None, singles, prior)] if singles else []
    laws_of_singles = [law for section in singles.values() if (law := section.disguise_law())]
    left = limit.gamma / prod((law.gamma for law in laws_of_singles), start=Fraction(1))
    aim = LayoutAim(
        tuple(noise for _question, noise in questions),
        GammaLimit(left, limit.strict),
        supposed_shares_by_itemset_length(
            [expected_answer_share(question) for question, _noise in questions]
        ),
        min(length, len(questions)),
    )
    sections = [law for _number, law in grouped_laws(draft)]
    shape = [len(law.noise) for law in sections]
    new = [
        layout
        for layout in cached_layouts(aim)
        if _keeps_options_together([question for question, _noise in questions], layout)
        and [len(part.questions) for part in layout.sections] != shape
    ]
    numbered = enumerate([_current_layout_within_limit(sections, aim), *new])
    return [Proposal(draft, number, layout, singles, prior) for number, layout in numbered if layout]


def find_proposal(draft: Questionnaire, limit: GammaLimit, length: int, number: int) -> Proposal:
    """Returns the proposal with this number for the present draft; refused if there is none any more."""
    for proposal in propose_settings(draft, limit, length):
        if proposal.number == number:
            return proposal
    raise NotAllowed(_("The questions have changed meanwhile. Look at the proposals again."))


def has_incomplete_disguised_section(draft: Questionnaire) -> bool:
    """True if a disguised section lacks questions or answers, so that nothing can be proposed."""
    disguised = [section for section in draft.sections if section.is_known and section.sensitive]
    return len(disguised) != len(list(section_laws(draft)))


def _one_question_sections_within_limit(
    draft: Questionnaire, limit: GammaLimit
) -> dict[int, DraftSection] | None:
    """Returns the sections with a single question (number, place or set of choices), each within its share of the
    limit, by number; None if one would reveal nothing at all."""
    adjustable = [number for number, _law in laws_of_adjustable_sections(draft)]
    singles = {}
    for number in adjustable:
        section = draft.sections[number]
        if section.holds_one:
            limited = get_kind(section).section_within_limit(
                section, limit_per_section(limit, len(adjustable))
            )
            if limited is None:
                return None
            singles[number] = limited
    return singles


def _regroupable_questions(draft: Questionnaire) -> list[tuple[DraftQuestion, tuple[Fraction, ...]]]:
    """Returns the questions that can be regrouped, each with the probabilities of its random answers; a layout names a
    question by its index here."""
    return [
        pair
        for number, law in grouped_laws(draft)
        for pair in zip(draft.sections[number].questions, law.noise, strict=True)
    ]


def _current_layout_within_limit(sections: Sequence[SectionLaw], aim: LayoutAim) -> Layout | None:
    """Returns the layout of the present sections, each with an equal share of the limit; None if one would
    reveal nothing at all."""
    limit = limit_per_section(aim.limit, len(sections))
    parts: list[PlacedSection] = []
    first = 0
    for law in sections:
        best = best_one_section_layout(
            LayoutAim(law.noise, limit, aim.supposed, min(aim.length, len(law.noise)))
        )
        if best is None:
            return None
        end = first + len(law.noise)
        parts.append(PlacedSection(tuple(range(first, end)), best.sections[0].law))
        first = end
    return make_layout(LayoutAim(aim.noise, aim.limit, aim.supposed), tuple(parts))


def _keeps_options_together(questions: Sequence[DraftQuestion], layout: Layout) -> bool:
    """True if the layout keeps all options of a question in one section."""
    homes = {index: number for number, part in enumerate(layout.sections) for index in part.questions}
    pairs = {(question.of, homes[index]) for index, question in enumerate(questions) if question.of}
    return len(pairs) == len({group for group, _home in pairs})


def _sections_of_layout(draft: Questionnaire, layout: Layout) -> Iterator[GroupedDraft]:
    """Yields the sections of a layout. A new section keeps text and random order if all its questions come
    from one old section; its disguise is lasting if that of an old one was.

    If an old section is split, its first part keeps the text.
    """
    questions = [question for question, _noise in _regroupable_questions(draft)]
    homes = [number for number, law in grouped_laws(draft) for _question in law.noise]
    with_text: set[int] = set()
    for part in layout.sections:
        first, *rest = {homes[index] for index in part.questions}
        old = [section for at in (first, *rest) if is_grouped_section(section := draft.sections[at])]
        section = GroupedDraft(lasting=max(section.lasting for section in old))
        if not rest:
            home = draft.sections[first]
            intro = {} if first in with_text else home.intro
            section = replace(section, intro=intro, random_order=home.random_order)
            with_text.add(first)
        chosen = tuple(questions[index] for index in sorted(part.questions))
        section = replace(section_with_law(section, part.law), questions=chosen)
        yield section.normalized()
