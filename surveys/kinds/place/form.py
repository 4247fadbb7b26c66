"""The form of a sensitive place: its regions, the cells in each, and how strongly they are protected."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import odds_text
from surveys.kinds.forms.block_form import BlockForm
from surveys.kinds.place.cell_field import cell_field, has_ticks
from surveys.kinds.place.draft import PlaceDraft
from surveys.kinds.place.draft_question import PlaceDraftQuestion, as_place
from surveys.kinds.place.level_fields import NearField, OddsField, hundredths
from surveys.kinds.place.levels import stronger, unfitting
from surveys.kinds.place.picture import PlacePicture, place_picture
from surveys.kinds.place.results import PlaceResults, place_results
from surveys.kinds.place.words import CELL_LABELS, fault_of_labels
from surveys.questionnaire.blocks import Block
from surveys.questionnaire.problems import reason_of
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire

NEAR, ODDS, OWN_NEAR, OWN_ODDS = "near", "odds", "own-near", "own-odds"
REGION = re.compile(r"regions\[(\d+)\]")


@dataclass(frozen=True)
class RegionRow:
    """`name` is the field of its name in files."""

    row: int
    number: int
    words: BoundField
    cells: BoundField
    name: BoundField
    count: int
    own: bool


class PlaceForm(BlockForm):
    template = "builder/question-place.html"

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        section = draft.sections[self.position.section]
        assert isinstance(section, PlaceDraft)
        self.section, self.question = section, section.question
        self._add_regions()
        self._add_levels()
        self._add_name()
        self._add_rules()

    def _add_regions(self) -> None:
        for row, region in enumerate(self.question.regions):
            label = _("Cells of region %(number)s") % {"number": row + 1}
            cells = cell_field(self.question, label, self.language)
            cells.initial = list(region.cells)
            label = _("Name of region %(number)s") % {"number": row + 1}
            name = forms.CharField(label=label, required=False, max_length=200, initial=region.name)
            self.fields |= {f"in-{row}": cells, f"name-{row}": name}

    def _add_levels(self) -> None:
        level, own = self.question.level, self.question.own_level
        near = NearField(
            label=_("Near cells"),
            help_text=_(
                "So many cells around the true one are sent more often. Many: smaller errors of the regions. Few: "
                "more of where inside them."
            ),
            initial=level.near,
        )
        odds = OddsField(
            label=_("Odds"),
            help_text=_("So many times more often than another cell inside; from 1.01 to 1,000."),
            initial=odds_text(level.odds),
        )
        self.fields |= {NEAR: near, ODDS: odds}
        if own:
            near = NearField(label=_("Near cells of regions protected more"), initial=own.near)
            odds = OddsField(label=_("Odds of regions protected more"), initial=odds_text(own.odds))
            self.fields |= {OWN_NEAR: near, OWN_ODDS: odds}

    # What was sent.

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for check in (self._labels, self._cells, self._levels, self._law):
            if self.errors:
                return data
            for field, words in check(data):
                self.add_error(field, words)
        return data

    def _labels(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if fault := fault_of_labels(self.question, data[CELL_LABELS]):
            yield CELL_LABELS, fault

    def _cells(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        taken: dict[str, int] = {}
        for row in range(len(self.question.regions)):
            for name in data[f"in-{row}"]:
                if name in taken:
                    words = _("“%(name)s” lies in region %(number)s already.")
                    yield f"in-{row}", words % {"name": name, "number": taken[name] + 1}
                    return
            taken |= dict.fromkeys(data[f"in-{row}"], row)

    def _levels(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        level, own = _levels_in(data)
        if own is None:
            return
        most = min(len(data[f"in-{row}"]) for row, each in enumerate(self.question.regions) if each.level)
        if own.odds >= level.odds:
            yield OWN_ODDS, _("The odds must be smaller than those of the other regions.")
        elif own.excess != level.excess:
            yield OWN_ODDS, unfitting(level, own, most)

    def _law(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse of the new near cells; regions that are still being drawn may be too small."""
        if not {NEAR, OWN_NEAR} & {*self.changed_data}:
            return
        made = changed_place(self.question, data)
        if not made.regions or not all(each.cells for each in made.regions):
            return
        try:
            replace(self.section, questions=(made,)).strict()
        except InputError as refusal:
            match = REGION.search(refusal.path)
            own = match is not None and made.regions[int(match[1])].level
            yield OWN_NEAR if own else NEAR, self._fault_words(refusal)

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = map(as_place, block)
        return [changed_place(question, cleaned)]

    # For the template.

    @property
    def has_ticks(self) -> bool:
        return has_ticks(self.question)

    @property
    def cells(self) -> int:
        return len(self.question.cells)

    @property
    def levels(self) -> list[BoundField]:
        return [self[name] for name in (NEAR, ODDS, OWN_NEAR, OWN_ODDS) if name in self.fields]

    @cached_property
    def region_rows(self) -> list[RegionRow]:
        return [
            RegionRow(
                row,
                row + 1,
                self[f"region-{row}"],
                self[f"in-{row}"],
                self[f"name-{row}"],
                len(region.cells),
                region.level is not None,
            )
            for row, region in enumerate(self.question.regions)
        ]

    @property
    def answer_rows(self) -> list[RegionRow]:
        """Whatever has a name in files."""
        return self.region_rows

    @cached_property
    def picture(self) -> PlacePicture | None:
        return place_picture(self.question, self.language)

    @cached_property
    def results(self) -> PlaceResults | None:
        """Of the place as it is stored."""
        return place_results(self.section, self.draft.respondents, PRIOR, self.language)

    @property
    def fault(self) -> str:
        """Why nothing can be said of it yet."""
        try:
            self.section.strict()
        except InputError as refusal:
            return self._fault_words(refusal)
        return ""

    @staticmethod
    def _fault_words(refusal: InputError) -> str:
        match = REGION.search(refusal.path)
        number = _("Region %(number)s: ") % {"number": int(match[1]) + 1} if match else ""
        reason = reason_of(refusal)
        return f"{number}{reason}." if number else f"{reason[0].upper()}{reason[1:]}."

    def may_protect_more(self) -> bool:
        """Whether a second level fits some region."""
        question = self.question
        most = max((len(each.cells) for each in question.regions), default=0)
        return question.own_level is not None or any(stronger(question.level, most))


def changed_place(question: PlaceDraftQuestion, data: dict[str, Any]) -> PlaceDraftQuestion:
    regions = (replace(region, cells=tuple(data[f"in-{row}"])) for row, region in enumerate(question.regions))
    return replace(question, regions=tuple(regions)).with_levels(*_levels_in(data))


def _levels_in(data: dict[str, Any]) -> tuple[PlaceLevel, PlaceLevel | None]:
    """The level that was sent, and that of the regions protected more, where there are any."""
    level = PlaceLevel(data[NEAR], hundredths(data[ODDS]))
    return level, PlaceLevel(data[OWN_NEAR], hundredths(data[OWN_ODDS])) if OWN_NEAR in data else None
