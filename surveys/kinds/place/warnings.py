"""Warnings about a sensitive place."""

from collections.abc import Iterator
from math import ceil

from django.utils.translation import gettext as _, ngettext

from surveys.kinds.forms.margins import rounded_up
from surveys.kinds.forms.settings_warning import WIDE, QuickFix, SettingsWarning, expect, points, written
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.place.protection import PlaceProtection, place_protection
from surveys.questionnaire.protection import PRIOR, USUAL, combinations, plain_questions, unique
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.weakness import MOST_EPSILON
from ui.numbers import count, percent

FEW_CELLS = 3
"""Of a region; in so small a one the region itself nearly says the place."""


def place_warnings(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    section = draft.sections[number]
    assert isinstance(section, PlaceDraft)
    protection = place_protection(section, draft.respondents, PRIOR)
    if protection is None:
        return
    yield from _strong(protection, number)
    yield from _noisy(protection, number)
    yield from _small(protection, number)
    if protection.outside:
        yield _outside(draft, protection, number)
    yield from _twice(draft, number)


def _strong(protection: PlaceProtection, number: int) -> Iterator[SettingsWarning]:
    if not USUAL.admits(protection.guarantee.gamma):
        words = _(
            "This place alone can change the odds of something %(gamma)s times for people inside the regions (epsilon "
            "%(epsilon)s, more than %(most)s)."
        )
        said = {
            "gamma": count(ceil(protection.gamma)),
            "epsilon": written(protection.epsilon),
            "most": MOST_EPSILON,
        }
        fix = QuickFix(
            _("Disguise it more, until it is %(most)s") % {"most": MOST_EPSILON}, f"limit {number}"
        )
        yield SettingsWarning("long", words % said, (fix,), number)


def _noisy(protection: PlaceProtection, number: int) -> Iterator[SettingsWarning]:
    if protection.worst > WIDE:
        words = _(
            "With %(expected)s answers, the margin of error of some shares of regions is ±%(points)s points."
        )
        said = {"expected": count(protection.respondents), "points": points(protection.worst)}
        needed = rounded_up(ceil(protection.respondents * (protection.worst / WIDE) ** 2))
        yield SettingsWarning("noisy", words % said, (expect(needed),), number, protection.worst)


def _small(protection: PlaceProtection, number: int) -> Iterator[SettingsWarning]:
    """A region that cannot be drawn larger is no fault, but its people are protected by the other regions only."""
    small = [each.name for each in protection.regions if each.cells < FEW_CELLS]
    if small:
        words = ngettext(
            "The region %(names)s has very few cells. If someone is thought to be in it, they are "
            "thought to be at nearly one place. Draw it larger, or join it with another.",
            "The regions %(names)s have very few cells. If someone is thought to be in one, they "
            "are thought to be at nearly one place. Draw them larger, or join them with others.",
            len(small),
        )
        yield SettingsWarning("small", words % {"names": _(", ").join(small)}, (), number)


def _outside(draft: Questionnaire, protection: PlaceProtection, number: int) -> SettingsWarning:
    words = _(
        "%(outside)s cells lie outside the regions. People there have no protection: their "
        "exact cell is sent %(keep)s of the time, is not disguised, and could be known to "
        "others. Draw regions around all that is sensitive."
    )
    said = words % {"outside": count(protection.outside), "keep": percent(protection.keep, 0)}
    plain = plain_questions(draft)
    alone = round(unique(protection.respondents, combinations(plain) * protection.outside))
    if plain and alone:
        more = _(
            "Together with the answers that are not disguised, about %(unique)s of %(expected)s "
            "people would be the only ones with theirs, if all combinations were equally likely."
        )
        said += " " + more % {"unique": count(alone), "expected": count(protection.respondents)}
    return SettingsWarning("outside", said, (), number)


def _twice(draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
    """Said once, at the last of several places."""
    places = [at for at, section in enumerate(draft.sections) if isinstance(section, PlaceDraft)]
    if len(places) > 1 and number == places[-1]:
        words = _(
            "The questionnaire asks for %(places)s places. If they are the same place, or lie on one way, they reveal "
            "it that many times: the odds multiply. Ask for one place, and do not ask the same people again."
        )
        yield SettingsWarning("twice", words % {"places": len(places)}, (), number)
