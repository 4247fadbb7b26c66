"""The settings of a place: its near cells and its odds. A second level keeps its near cells and gets odds that fit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.input_error import InputError
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import MOST_CELLS, odds_text
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings, Setting
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.place.level_fields import NearField, OddsField, hundredths
from surveys.kinds.place.levels import fitting, odds_words
from surveys.kinds.place.results import place_results
from surveys.questionnaire.problems import reason_of
from ui.numbers import count

MOST_ON_SLIDER = 20
"""Odds far beyond the usual limit can be typed."""


NEAR, ODDS = "near", "odds"


class PlaceSettings(SectionSettings[PlaceDraft]):
    def settings(self, section: PlaceDraft) -> Iterator[Setting]:
        question = section.question
        most = question.smallest_region or MOST_CELLS
        yield Setting(NEAR, NearField(label=_("Near cells")), question.level.near, most)
        field = OddsField(label=_("Odds, so many times"))
        yield Setting(ODDS, field, odds_text(question.level.odds), MOST_ON_SLIDER, low=2)

    def value(self, section: PlaceDraft) -> Any:
        levels = [[level.near, level.odds] if level else None for level in section.question.law_settings]
        return [section.question.name, levels]

    def faults(self, section: PlaceDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse of the new values; regions that are not drawn yet are no fault of theirs."""
        if NEAR not in cleaned or ODDS not in cleaned:
            return
        question, level = section.question, _level(cleaned)
        own, smallest = question.own_level, question.smallest_region
        if own and fitting(level, own.near) is None:
            words = _(
                "These odds are not possible with %(near)s near cells in the regions protected more. "
                "The next smaller that are possible: %(odds)s."
            )
            yield ODDS, words % {"near": own.near, "odds": odds_words(_next_fitting(level, own.near))}
        elif level.near > (smallest or MOST_CELLS):
            words = _("The smallest region has %(cells)s cells, fewer than %(near)s.")
            yield NEAR, words % {"cells": count(smallest), "near": count(level.near)}
        elif level != question.level:
            yield from _refused(section, self.changed(section, cleaned))

    def changed(self, section: PlaceDraft, cleaned: Mapping[str, Any]) -> PlaceDraft:
        question, level = section.question, _level(cleaned)
        fitted = fitting(level, question.own_level.near) if question.own_level else None
        return replace(section, questions=(question.with_levels(level, fitted),))


class PlacePanel(SectionPanel[PlaceDraft]):
    template = "builder/results-place.html"
    dials = PlaceSettings()
    heading = gettext_lazy("A disguised place: %(name)s")
    find = staticmethod(place_results)


def _level(cleaned: Mapping[str, Any]) -> PlaceLevel:
    return PlaceLevel(cleaned[NEAR], hundredths(cleaned[ODDS]))


def _next_fitting(level: PlaceLevel, near: int) -> int:
    """The largest odds up to these, in hundredths, with which so many near cells elsewhere fit."""
    fits = (odds for odds in range(level.odds, 0, -1) if fitting(PlaceLevel(level.near, odds), near))
    return next(fits, level.odds)


def _refused(before: PlaceDraft, after: PlaceDraft) -> Iterator[tuple[str, str]]:
    """What is refused of the new section but not of the old one."""
    try:
        after.strict()
    except InputError as refusal:
        if before.fitting:
            reason = reason_of(refusal)
            yield NEAR, f"{reason[0].upper()}{reason[1:]}."
