"""The settings of a place: its near cells and its odds. A second level keeps its near cells and gets odds that fit."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from look.numbers import count
from privacy.grammar.refusal import Refusal
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import MOST_CELLS, odds_text
from surveys.kinds.place.draft import found_section, level_of, own_level, read_section, smallest_region
from surveys.kinds.place.level_fields import NearField, OddsField, hundredths
from surveys.kinds.place.levels import fitting, odds_words, with_levels
from surveys.kinds.place.results import place_results
from surveys.problems import reason_of
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings, Setting

MOST_ON_SLIDER = 20
"""Odds far beyond the usual limit can be typed."""


class PlaceSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        question = section["questions"][0]
        most = smallest_region(question) or MOST_CELLS
        yield Setting("near", NearField(label=_("Near cells")), question["near"], most)
        field = OddsField(label=_("Odds, so many times"))
        yield Setting("odds", field, odds_text(level_of(question).odds), MOST_ON_SLIDER, low=2)

    def value(self, section: Node) -> Any:
        question = section["questions"][0]
        levels = [[each.get("near"), each.get("odds")] for each in question["regions"]]
        return [question["name"], question["near"], question["odds"], levels]

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse of the new values; regions that are not drawn yet are no fault of theirs."""
        if "near" not in cleaned or "odds" not in cleaned:
            return
        question, level = section["questions"][0], _level(cleaned)
        own = own_level(question)
        if own and fitting(level, own.near) is None:
            words = _(
                "These odds are not possible with %(near)s near cells in the regions protected more. "
                "The next smaller that are possible: %(odds)s."
            )
            yield "odds", words % {"near": own.near, "odds": odds_words(_next_fitting(level, own.near))}
        elif level.near > (smallest_region(question) or MOST_CELLS):
            words = _("The smallest region has %(cells)s cells, fewer than %(near)s.")
            yield "near", words % {"cells": count(smallest_region(question)), "near": count(level.near)}
        elif level != level_of(question):
            yield from _refused(section, self.changed(section, cleaned))

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        question, level = section["questions"][0], _level(cleaned)
        own = own_level(question)
        fitted = fitting(level, own.near) if own else None
        return {**section, "questions": [with_levels(question, level, fitted)]}


class PlacePanel(SectionPanel):
    template = "surveys/builder/results-place.html"
    dials = PlaceSettings()
    heading = gettext_lazy("A disguised place: %(name)s")
    find = staticmethod(place_results)


def _level(cleaned: Mapping[str, Any]) -> PlaceLevel:
    return PlaceLevel(cleaned["near"], hundredths(cleaned["odds"]))


def _next_fitting(level: PlaceLevel, near: int) -> int:
    """The largest odds up to these, in hundredths, with which so many near cells elsewhere fit."""
    fits = (odds for odds in range(level.odds, 0, -1) if fitting(PlaceLevel(level.near, odds), near))
    return next(fits, level.odds)


def _refused(before: Node, after: Node) -> Iterator[tuple[str, str]]:
    """What is refused of the new section but not of the old one."""
    try:
        read_section(after)
    except Refusal as refusal:
        if found_section(before):
            reason = reason_of(refusal)
            yield "near", f"{reason[0].upper()}{reason[1:]}."
