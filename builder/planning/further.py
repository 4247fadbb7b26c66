"""What further disguised sections cost: all sections that follow a preset divide the protection of one person."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from builder.edits.arranging import put, put_section
from builder.settings.outcome import ProtectionSummary
from surveys.kinds.grouped.draft import GROUPED
from surveys.kinds.presets import apply_presets
from surveys.kinds.registry import KINDS, known_kind
from surveys.kinds.settings import points, rounded_up
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import new_block
from ui.numbers import percent

MOST_RESPONDENTS = 10**9


def with_further(draft: Questionnaire, sections: int = 1) -> Questionnaire:
    """The draft as the builder makes it when so many disguised sections are added, each with a yes/no question."""
    for _section in range(sections):
        number = len(draft.sections)
        draft = put_section(draft, KINDS[GROUPED].new(draft))
        draft = put(draft, new_block(draft, "yes-no", True), number)
    return apply_presets(draft)


def respondents_for(is_enough: Callable[[int], bool], start: int) -> int | None:
    """About the smallest number of respondents that is enough, to two figures; None where none is.

    More respondents are never worse.
    """
    few, many = 0, start
    while not is_enough(many):
        few, many = many, 2 * many
        if many > MOST_RESPONDENTS:
            return None
    while many - few > max(1, few // 100):
        middle = (few + many) // 2
        few, many = (few, middle) if is_enough(middle) else (middle, many)
    return rounded_up(many)


@dataclass(frozen=True)
class FurtherSection:
    """What one more disguised section does to the draft as it stands."""

    draft: Questionnaire

    @cached_property
    def after(self) -> Questionnaire:
        return with_further(self.draft)

    @cached_property
    def margins(self) -> tuple[list[float], list[float]]:
        """The margins of error of the shares that there are now: before and after, in the same order."""
        places = range(len(self.draft.sections))
        before, after = (list(_margins(draft, places)) for draft in (self.draft, self.after))
        return before, after

    @property
    def words(self) -> str:
        """Empty where nothing is estimated from disguised answers yet."""
        before, after = self.margins
        if not before:
            return ""
        if len(after) < len(before):
            return _("Another disguised section: too few people would be asked some of the other questions.")
        said = {"before": points(max(before)), "after": points(max(after))}
        if before == after:
            return self._words_of_less_protection
        if len(before) == 1:
            words = _(
                "Another disguised section: the other margin grows from ± %(before)s to ± %(after)s points."
            )
        elif said == {"before": points(min(before)), "after": points(min(after))}:
            words = _(
                "Another disguised section: every other margin grows from ± %(before)s to ± %(after)s points."
            )
        else:
            words = _(
                "Another disguised section: every other margin grows, the widest from ± %(before)s to ± %(after)s"
                " points."
            )
        return words % said

    @property
    def _words_of_less_protection(self) -> str:
        """Of settings that follow no preset."""
        person = ProtectionSummary(self.after).person
        assert person
        words = _(
            "Another disguised section: the other margins stay, but all answers of a person together are less"
            " protected: %(before)s can become %(after)s."
        )
        return words % {"before": percent(float(PRIOR), 0), "after": person.posterior_words}


def _margins(draft: Questionnaire, places: range) -> Iterator[float]:
    for number in places:
        section = draft.sections[number]
        kind = known_kind(section)
        if kind and (protection := kind.protection(section, draft.respondents, PRIOR)):
            yield from protection.share_margins
