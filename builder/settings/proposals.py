"""Design by guarantee: from what nobody must be able to conclude to settings that learn the most.

Proposed are the sections as they stand, each with an equal share of what the whole person may give away, and
the few best ways to deal the questions anew. Numbers and places stay in their sections with such a share.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod

from django.utils.translation import gettext as _, ngettext

from builder.settings.outcome import ProtectionSummary
from privacy.designs.labels import section_number
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.by_guarantee import Aim, Layout, Placed, best_rotation, laid_out
from privacy.guarantee.layout import layouts
from privacy.guarantee.presets import equal_share
from privacy.kinds.grouped.law import SectionLaw
from privacy.kinds.mined_law import Disguised
from surveys.kinds.grouped.draft import GroupedDraft, grouped_laws, is_grouped
from surveys.kinds.grouped.protection import expected_share, shares_by_length, with_law
from surveys.kinds.registry import kind_of
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import with_section
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.laws import adjustable_laws, laws, left_by_fixed
from surveys.questionnaire.presets import by_hand
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.rules import without_broken_rule
from ui.numbers import count

layouts_of = lru_cache(maxsize=32)(layouts)


@dataclass(frozen=True)
class Proposal:
    """`number` finds it again; number 0 leaves the questions in their sections.

    `layout` is None where there are numbers and places only; `numbers` are their sections by place in the draft.
    """

    draft: Questionnaire
    number: int
    layout: Layout | None
    numbers: tuple[tuple[int, DraftSection], ...]
    prior: Fraction = PRIOR

    @property
    def laws(self) -> list[SectionLaw]:
        return [placed.law for placed in self.layout.sections] if self.layout else []

    @cached_property
    def outcome(self) -> ProtectionSummary:
        """What the page will say once the proposal is applied."""
        return ProtectionSummary(applied(self.draft, self), self.prior)

    @property
    def regroups(self) -> bool:
        """Whether it moves questions into other sections."""
        return self.layout is not None and self.number != 0

    @property
    def merging(self) -> str:
        """What happens to the sections, in words; nothing where all questions stay in theirs."""
        if not self.regroups:
            return ""
        before = [count(section_number(number)) for number, _law in grouped_laws(self.draft)]
        said = {"before": enumerated(before), "after": count(len(self.laws))}
        if len(before) == 1:
            words = _("Section %(before)s is split into %(after)s sections.")
        elif len(self.laws) == 1:
            words = _("Sections %(before)s are merged into one.")
        elif len(self.laws) < len(before):
            words = _("Sections %(before)s are merged into %(after)s sections.")
        else:
            words = _("The questions of sections %(before)s are moved into %(after)s new sections.")
        return words % said

    @property
    def lost_texts(self) -> str:
        """Which texts before sections have no place among the new sections; nothing where all of them stay."""
        if not self.regroups:
            return ""
        kept = [section.intro for section in applied(self.draft, self).sections]
        lost = [
            count(section_number(number))
            for number, _law in grouped_laws(self.draft)
            if (intro := self.draft.sections[number].intro) and intro not in kept
        ]
        words = ngettext(
            "The text before section %(numbers)s is left out.",
            "The texts before sections %(numbers)s are left out.",
            len(lost),
        )
        return words % {"numbers": enumerated(lost)} if lost else ""


def enumerated(numbers: Sequence[str]) -> str:
    """The numbers as a sentence lists them: 2, 3 and 5."""
    *first, last = numbers
    return _("%(first)s and %(last)s") % {"first": ", ".join(first), "last": last} if first else last


def proposals(
    draft: Questionnaire, limit: GammaLimit, length: int, prior: Fraction = PRIOR
) -> list[Proposal]:
    """For errors of itemsets of this length; the best of the new layouts first."""
    limit = left_by_fixed(draft, limit)
    numbers = _numbers(draft, limit) if limit.gamma > 1 else None
    if numbers is None:
        return []
    questions = _questions(draft)
    if not questions:
        return [Proposal(draft, 0, None, numbers, prior)] if numbers else []
    left = limit.gamma / prod((law.gamma for _place, law in _laws_of(numbers)), start=Fraction(1))
    limit = GammaLimit(left, limit.strict)
    asked = [question for question, _noise in questions]
    aim = Aim(
        tuple(noise for _question, noise in questions),
        limit,
        shares_by_length([expected_share(question) for question in asked]),
        min(length, len(questions)),
    )
    sections = [law for _number, law in grouped_laws(draft)]
    whole = [layout for layout in layouts_of(aim) if _keeps_groups(asked, layout)]
    shape = [len(law.noise) for law in sections]
    new = [layout for layout in whole if [len(placed.questions) for placed in layout.sections] != shape]
    numbered = enumerate([_as_it_is(sections, aim), *new])
    return [Proposal(draft, number, layout, numbers, prior) for number, layout in numbered if layout]


def _numbers(draft: Questionnaire, limit: GammaLimit) -> tuple[tuple[int, DraftSection], ...] | None:
    """The numbers and places, each with one section's share of what a person may give away.

    None where one shows nothing.
    """
    disguised = list(adjustable_laws(draft))
    made = []
    for number, _law in disguised:
        section = draft.sections[number]
        if section.holds_one:
            section_within = kind_of(section).within(section, equal_share(limit, len(disguised)))
            if section_within is None:
                return None
            made.append((number, section_within))
    return tuple(made)


def _laws_of(numbers: tuple[tuple[int, DraftSection], ...]) -> Iterator[tuple[int, Disguised]]:
    return ((number, law) for number, section in numbers if (law := section.law()))


def _questions(draft: Questionnaire) -> list[tuple[DraftQuestion, tuple[Fraction, ...]]]:
    return [
        pair
        for number, law in grouped_laws(draft)
        for pair in zip(draft.sections[number].questions, law.noise, strict=True)
    ]


def _as_it_is(sections: Sequence[SectionLaw], aim: Aim) -> Layout | None:
    each = equal_share(aim.limit, len(sections))
    placed: list[Placed] = []
    for law in sections:
        best = best_rotation(Aim(law.noise, each, aim.supposed, min(aim.length, len(law.noise))))
        if best is None:
            return None
        first = sum(len(one.questions) for one in placed)
        placed.append(Placed(tuple(range(first, first + len(law.noise))), best.sections[0].law))
    return laid_out(Aim(aim.noise, aim.limit, aim.supposed), tuple(placed))


def _keeps_groups(questions: Sequence[DraftQuestion], layout: Layout) -> bool:
    """The options of one question of several stand together, so no section may divide them."""
    home = {index: number for number, placed in enumerate(layout.sections) for index in placed.questions}
    groups: dict[str, set[int]] = {}
    for index, question in enumerate(questions):
        if question.of:
            groups.setdefault(question.of, set()).add(home[index])
    return all(len(homes) == 1 for homes in groups.values())


def applied(draft: Questionnaire, proposal: Proposal) -> Questionnaire:
    """The draft with these settings, set by hand; new sections stand where the last disguised one stood."""
    for index, section in proposal.numbers:
        draft = with_section(draft, index, section)
    draft = by_hand(draft)
    if proposal.layout is None:
        return draft
    if proposal.number == 0:
        for (number, _law), law in zip(grouped_laws(draft), proposal.laws, strict=True):
            section = draft.sections[number]
            assert is_grouped(section)
            draft = with_section(draft, number, with_law(section, law))
        return draft
    questions = [question for question, _noise in _questions(draft)]
    empty = _presentations(draft, proposal.layout)
    new = [
        replace(with_law(section, placed.law), questions=_chosen(questions, placed.questions)).settled()
        for placed, section in zip(proposal.layout.sections, empty, strict=True)
    ]
    numbers = [number for number, _law in grouped_laws(draft)]
    end = numbers[-1] + 1
    left = (section for number, section in enumerate(draft.sections[:end]) if number not in numbers)
    return without_broken_rule(draft, replace(draft, sections=(*left, *new, *draft.sections[end:])))


def _presentations(draft: Questionnaire, layout: Layout) -> Iterator[GroupedDraft]:
    """The new sections without questions: their texts and random order, where all they ask comes from one section.

    Of a section that is split, the first part keeps the text.
    """
    homes = [number for number, law in grouped_laws(draft) for _question in law.noise]
    said: set[int] = set()
    for placed in layout.sections:
        first, *others = {homes[index] for index in placed.questions}
        if others:
            yield GroupedDraft()
        else:
            old = draft.sections[first]
            yield GroupedDraft(intro={} if first in said else old.intro, random_order=old.random_order)
            said.add(first)


def _chosen(questions: Sequence[DraftQuestion], places: Sequence[int]) -> tuple[DraftQuestion, ...]:
    return tuple(questions[index] for index in sorted(places))


def chosen(draft: Questionnaire, limit: GammaLimit, length: int, number: int) -> Proposal:
    for proposal in proposals(draft, limit, length):
        if proposal.number == number:
            return proposal
    raise NotAllowed(_("The questions have changed meanwhile. Look at the proposals again."))


def incomplete(draft: Questionnaire) -> bool:
    """Whether a disguised section still lacks questions or answers, so that nothing can be proposed for it."""
    disguised = [section for section in draft.sections if section.is_known and section.sensitive]
    return len(disguised) != len(list(laws(draft)))
