"""What is said of the settings of a question that is sent as sets, and where sets are proposed."""

from collections.abc import Iterator

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.kinds.grouped.law import SectionLaw
from surveys.kinds.forms.settings_warning import (
    WIDE,
    QuickFix,
    SettingsWarning,
    expect,
    few_answers,
    points,
    written,
)
from surveys.kinds.subset.draft import SubsetDraft, sets_of
from surveys.kinds.subset.protection import subset_protection
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import PRIOR, USUAL
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count


def subset_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, SubsetDraft)
    protection = subset_protection(section, draft.respondents, PRIOR)
    if protection is None:
        return
    if not USUAL.admits(protection.law.gamma):
        words = _("One answer says much: ε is %(epsilon)s (limit: %(most)s).")
        fix = QuickFix(_("Strengthen it"), f"limit {number}")
        said = {"epsilon": written(protection.epsilon), "most": MOST_EPSILON}
        yield SettingsWarning("long", words % said, (fix,), number)
    if not protection.enough:
        yield few_answers(protection.respondents, number)
    elif protection.half_width > WIDE:
        words = _(
            "Few answers for this protection: with %(expected)s answers, the margin of error of "
            "one answer’s share will be ±%(points)s points."
        )
        said = {"expected": count(protection.respondents), "points": points(protection.half_width)}
        cure = expect(protection.needed_for(WIDE))
        yield SettingsWarning("noisy", words % said, (cure,), number, protection.half_width)


def sets_words(section: DraftSection, law: SectionLaw) -> str:
    """The proposal to send sets; empty where they do not win."""
    sets = sets_of(section, law)
    if sets is None:
        return ""
    made, fewer = sets
    words = _(
        "Sending a set of %(size)s choices instead of one needs %(times)s times fewer answers at the same protection."
    )
    return words % {"size": made.size, "times": number_format(fewer, 1)}
