"""A sensitive place: one of the cells of a map."""

from django.utils.translation import gettext_lazy as _, ngettext

from privacy.kinds.place.section import LAND, PlaceQuestion, PlaceSection
from surveys.kinds.chance import SentIf, kept_or_not
from surveys.kinds.file_columns import FileColumns
from surveys.kinds.forms.block_lines import SHOWN, BlockLine
from surveys.kinds.kind import SurveyKind
from surveys.kinds.place.chances import place_chances
from surveys.kinds.place.commands import OF_PLACE
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.place.draft_question import as_place, words_of
from surveys.kinds.place.editing import new_place, renamed_regions
from surveys.kinds.place.files import PLACE_COLUMNS
from surveys.kinds.place.form import PlaceForm
from surveys.kinds.place.levels import place_within
from surveys.kinds.place.protection import place_protection
from surveys.kinds.place.results import place_results
from surveys.kinds.place.settings import PlacePanel
from surveys.kinds.place.warnings import place_warnings
from surveys.questionnaire.blocks import Block, find
from surveys.questionnaire.commands import Sent
from surveys.questionnaire.questionnaire import Questionnaire
from ui.numbers import count


class PlaceKind(SurveyKind[PlaceDraft]):
    draft = PlaceDraft
    device = "privacy/kinds/place.js"
    module = "places"
    title = _("Disguised place")
    adds = _("A sensitive place")
    button = _("Add a sensitive place")
    form = PlaceForm
    promise = "builder/promise-place.html"
    panel = PlacePanel
    commands = OF_PLACE
    new = staticmethod(new_place)
    within = staticmethod(place_within)
    protection = staticmethod(place_protection)
    warnings = staticmethod(place_warnings)
    results = staticmethod(place_results)
    style = "intake/page-with-places.css"
    chances = staticmethod(place_chances)

    def summary(self, block: Block, language: str) -> BlockLine:
        (question,) = map(as_place, block)
        cells, regions = len(question.cells), question.regions
        words = ngettext("One of %(cells)s place", "One of %(cells)s places", cells) % {"cells": count(cells)}
        names = (words_of(each, language) for each in regions[:SHOWN])
        return BlockLine(words, tuple(names), max(0, len(regions) - SHOWN))

    def renamed(self, draft: Questionnaire, key: str, sent: Sent) -> Questionnaire:
        _place, (question,) = find(draft, key)
        given = [sent.get(f"name-{row}", "") for row in range(len(as_place(question).regions))]
        return renamed_regions(draft, key, given)

    def sent_if(self, section: PlaceSection, question: PlaceQuestion) -> SentIf:
        return kept_or_not(section.law.keep)

    def shows_land(self, section: PlaceSection) -> bool:
        return section.question.outline == LAND

    def file_columns(self, section: PlaceSection) -> FileColumns:
        return PLACE_COLUMNS
