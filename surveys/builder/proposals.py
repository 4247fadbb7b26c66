"""Design by guarantee: from what nobody must be able to conclude to settings that learn the most.

Proposed are the sections as they stand, each with an equal share of what the whole person may give away, and
the few best ways to deal the questions anew. Numbers and places stay in their sections with such a share.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import Disguised, GammaLimit
from privacy.guarantee.by_guarantee import Aim, Layout, Placed, best_rotation, laid_out
from privacy.guarantee.layout import layouts
from privacy.kinds.grouped.law import SectionLaw
from surveys.builder.arranging import put_section
from surveys.builder.blocks import with_section
from surveys.builder.grouped_protection import SUPPOSED, Expectation
from surveys.builder.laws import LAWS, grouped_laws, law_of, laws
from surveys.builder.limited import limited
from surveys.builder.normal_form import settled
from surveys.builder.normal_values import Node
from surveys.builder.number_draft import NUMBER
from surveys.builder.number_results import words_of_number
from surveys.builder.place_draft import PLACE
from surveys.builder.place_results import words_of_place
from surveys.builder.protection import expected, keep_text
from surveys.builder.rules import without_broken_rule
from surveys.builder.section_kinds import GROUPED
from surveys.draft import Draft
from surveys.refused import Refused

layouts_of = lru_cache(maxsize=32)(layouts)


ALONE: dict[str, Callable[[Node, int], str]] = {NUMBER: words_of_number, PLACE: words_of_place}
"""By kind of a section that holds one question: what its settings show, in words."""


@dataclass(frozen=True)
class Proposal:
    """`number` finds it again; number 0 leaves the questions in their sections.

    `layout` is None where there are numbers and places only; `numbers` are their sections by place in the draft.
    """

    number: int
    layout: Layout | None
    numbers: tuple[tuple[int, Node], ...]
    respondents: int

    @property
    def laws(self) -> list[SectionLaw]:
        return [placed.law for placed in self.layout.sections] if self.layout else []

    @property
    def expectations(self) -> list[Expectation]:
        curves = self.layout.error_curves if self.layout else (None,) * len(SUPPOSED.supports)
        return [Expectation(length, spread, self.respondents) for length, spread in enumerate(curves, 1)]

    @property
    def number_words(self) -> list[str]:
        return [ALONE[section["kind"]](section, self.respondents) for _place, section in self.numbers]


def proposals(draft: Draft, limit: GammaLimit, length: int) -> list[Proposal]:
    """For errors of itemsets of this length; the best of the new layouts first."""
    numbers = _numbers(draft, limit)
    if numbers is None:
        return []
    questions, respondents = _questions(draft), expected(draft)
    if not questions:
        return [Proposal(0, None, numbers, respondents)] if numbers else []
    left = limit.gamma / prod((law.gamma for _place, law in _laws_of(numbers)), start=Fraction(1))
    limit = GammaLimit(left, limit.strict)
    found = [_as_it_is(draft, limit, length)]
    length = min(length, len(questions))
    aim = Aim(tuple(noise for _question, noise in questions), limit, SUPPOSED, length)
    whole = [layout for layout in layouts_of(aim) if _keeps_groups(draft, layout)]
    shape = [len(law.noise) for _number, law in grouped_laws(draft)]
    new = [layout for layout in whole if [len(placed.questions) for placed in layout.sections] != shape]
    numbered = enumerate([found[0], *new])
    return [Proposal(number, layout, numbers, respondents) for number, layout in numbered if layout]


def _numbers(draft: Draft, limit: GammaLimit) -> tuple[tuple[int, Node], ...] | None:
    """The numbers and places, each with one section's share of what a person may give away.

    None where one shows nothing.
    """
    disguised = len(list(laws(draft)))
    made = []
    for place, _law in laws(draft):
        section = draft["sections"][place]
        if section["kind"] in ALONE:
            found = limited(section, GammaLimit(equal_share(limit, disguised), limit.strict))
            if found is None:
                return None
            made.append((place, found))
    return tuple(made)


def equal_share(limit: GammaLimit, sections: int) -> Fraction:
    """Rounded down, so that the product of all stays within the limit."""
    if sections == 1:
        return limit.gamma
    return Fraction(int(float(limit.gamma) ** (1 / sections) * 10**6), 10**6)


def _laws_of(numbers: tuple[tuple[int, Node], ...]) -> Iterator[tuple[int, Disguised]]:
    return ((place, law) for place, section in numbers if (law := law_of(section)))


def _questions(draft: Draft) -> list[tuple[Node, tuple[Fraction, ...]]]:
    found = []
    for number, law in grouped_laws(draft):
        found += list(zip(draft["sections"][number]["questions"], law.noise, strict=True))
    return found


def _as_it_is(draft: Draft, limit: GammaLimit, length: int) -> Layout | None:
    found = [law for _number, law in grouped_laws(draft)]
    each = equal_share(limit, len(found))
    placed: list[Placed] = []
    for law in found:
        aim = Aim(law.noise, GammaLimit(each, limit.strict), SUPPOSED, min(length, len(law.noise)))
        best = best_rotation(aim)
        if best is None:
            return None
        first = sum(len(one.questions) for one in placed)
        placed.append(Placed(tuple(range(first, first + len(law.noise))), best.sections[0].law))
    noise = tuple(noise for law in found for noise in law.noise)
    return laid_out(Aim(noise, limit, SUPPOSED), tuple(placed))


def _keeps_groups(draft: Draft, layout: Layout) -> bool:
    """The options of one question of several stand together, so no section may divide them."""
    questions = [question for question, _noise in _questions(draft)]
    home = {place: number for number, placed in enumerate(layout.sections) for place in placed.questions}
    groups: dict[str, set[int]] = {}
    for place, question in enumerate(questions):
        if "of" in question:
            groups.setdefault(question["of"], set()).add(home[place])
    return all(len(homes) == 1 for homes in groups.values())


def applied(draft: Draft, proposal: Proposal) -> Draft:
    """The draft with these settings; new sections stand where the last disguised one stood."""
    for place, section in proposal.numbers:
        draft = with_section(draft, place, section)
    if proposal.layout is None:
        return draft
    if proposal.number == 0:
        for (number, _law), law in zip(grouped_laws(draft), proposal.laws, strict=True):
            draft = with_section(draft, number, {**draft["sections"][number], **_settings(law)})
        return draft
    questions = [question for question, _noise in _questions(draft)]
    numbers = [number for number, _law in grouped_laws(draft)]
    made = [
        settled({"kind": GROUPED, **_settings(placed.law), "questions": _chosen(questions, placed.questions)})
        for placed in proposal.layout.sections
    ]
    after: Draft = {**draft, "sections": draft["sections"][: numbers[-1] + 1]}
    for section in made:
        after = put_section(after, section)
    after = {**after, "sections": [*after["sections"], *draft["sections"][numbers[-1] + 1 :]]}
    left = [section for number, section in enumerate(after["sections"]) if number not in numbers]
    return without_broken_rule(draft, {**after, "sections": left})


def _chosen(questions: Sequence[Node], places: Sequence[int]) -> list[Node]:
    return [questions[place] for place in sorted(places)]


def _settings(law: SectionLaw) -> Node:
    return {"keep": keep_text(law.keep), "asked": law.asked}


def chosen(draft: Draft, limit: GammaLimit, length: int, number: int) -> Proposal:
    for proposal in proposals(draft, limit, length):
        if proposal.number == number:
            return proposal
    raise Refused(_("The questions have changed meanwhile. Look at the proposals again."))


def incomplete(draft: Draft) -> bool:
    """Whether a disguised section still lacks questions or answers, so that nothing can be proposed for it."""
    disguised = [section for section in draft["sections"] if section.get("kind") in LAWS]
    return len(disguised) != len(list(laws(draft)))
