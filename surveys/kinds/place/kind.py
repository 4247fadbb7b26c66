"""Sensitive places, cells of a map: settings, warnings, start page and columns of record files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from django.utils.translation import gettext as _, gettext_lazy, ngettext

from privacy.grammar.input_error import InputError
from privacy.kinds.place.law import PlaceLevel
from privacy.kinds.place.section import LAND, MOST_CELLS, PlaceQuestion, PlaceSection, odds_text
from surveys.kinds.choices_form import SHOWN
from surveys.kinds.kind_interface import QuestionKind
from surveys.kinds.place.draft import PlaceDraft, label_or_name, require_place_question
from surveys.kinds.place.editing import COMMANDS, new_place_section, rename_regions
from surveys.kinds.place.form import PlaceForm
from surveys.kinds.place.guarantee_and_errors import PlaceProtection, place_protection
from surveys.kinds.place.protection_levels import (
    NEAR,
    ODDS,
    NearCellsField,
    OddsField,
    level_from_fields,
    level_with_same_excess,
    place_at_gamma_limit,
    place_odds_text,
)
from surveys.kinds.place.region_label_position import LabelPosition, region_label_positions
from surveys.kinds.protection_page_elements import (
    WIDE,
    ProtectionSetting,
    SettingsWarning,
    stronger_disguise_fix,
    weak_protection_warning,
    wide_margin_warning,
)
from surveys.kinds.question_form import QuestionBlockSummary
from surveys.kinds.record_file_columns import Fact, FileColumns, markable_cell_texts
from surveys.kinds.start_page_probabilities import (
    Chance,
    CoinChances,
    SendingChances,
    chance_from_share,
    sending_chances_for_keep,
)
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.questionnaire.protection import (
    PRIOR,
    USUAL,
    count_combinations,
    expected_unique_people,
    plain_questions,
)
from surveys.questionnaire.question_block_editing import Block, find_block
from surveys.questionnaire.questionnaire import Questionnaire, Sent
from ui.number_format import format_count, format_percent
from ui.sentence_joining import join_sentences

MOST_ON_SLIDER = 20
"""Highest odds on the slider; odds far beyond the usual limit can be typed."""
FEW_CELLS = 3
"""Number of cells of a region below which the region nearly reveals the cell."""


@dataclass(frozen=True, slots=True)
class LevelOdds:
    """Names of the regions at one level of protection, and their odds, rounded up to one decimal.

    Odds are the factor by which a record can make one cell of a region more likely than another.
    """

    odds: Fraction
    regions: str


@dataclass(frozen=True, slots=True)
class PlaceChances(CoinChances):
    """Probabilities that the start page states; `keep`: how often the exact cell is sent for a person outside
    all regions.

    `levels` are sorted by odds, the highest first. `lies_outside`: some cells are outside all regions.
    """

    keep: Chance
    levels: tuple[LevelOdds, ...]
    lies_outside: bool

    template: ClassVar[str] = "intake/odds-place.html"

    @property
    def has_unprotected_answers(self) -> bool:
        return self.lies_outside


class PlaceKind(QuestionKind[PlaceDraft]):
    draft = PlaceDraft
    device = "privacy/kinds/place.js"
    module = "places"
    title = gettext_lazy("Disguised place")
    adds = gettext_lazy("A sensitive place")
    button = gettext_lazy("Add a sensitive place")
    form_class = PlaceForm
    promise = "builder/promise-place.html"
    panel = "builder/results-place.html"
    heading = gettext_lazy("A disguised place: %(name)s")
    commands = COMMANDS
    style = "intake/page-with-places.css"
    new_section = staticmethod(new_place_section)
    section_within_limit = staticmethod(place_at_gamma_limit)
    protection = staticmethod(place_protection)

    def summary_line(self, block: Block, language: str) -> QuestionBlockSummary:
        (question,) = map(require_place_question, block)
        cells, regions = len(question.cells), question.regions
        words = ngettext("One of %(cells)s place", "One of %(cells)s places", cells) % {
            "cells": format_count(cells)
        }
        names = (label_or_name(region, language) for region in regions[:SHOWN])
        return QuestionBlockSummary(words, tuple(names), max(0, len(regions) - SHOWN))

    def rename_in_record_files(self, draft: Questionnaire, key: str, sent: Sent) -> Questionnaire:
        _position, (question,) = find_block(draft, key)
        names = [sent.get(f"name-{row}", "") for row in range(len(require_place_question(question).regions))]
        return rename_regions(draft, key, names)

    def protection_settings(self, section: PlaceDraft) -> Iterator[ProtectionSetting]:
        question = section.question
        most = question.smallest_ordinary_region_size or MOST_CELLS
        yield ProtectionSetting(NEAR, NearCellsField(label=_("Near cells")), question.level.near, most)
        field = OddsField(label=_("Odds, so many times"))
        yield ProtectionSetting(ODDS, field, odds_text(question.level.odds), MOST_ON_SLIDER, low=2)

    def settings_that_end_presets(self, section: PlaceDraft) -> Any:
        levels = [[level.near, level.odds] if level else None for level in section.question.law_settings]
        return [section.question.name, levels]

    def settings_faults(self, section: PlaceDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields each setting whose new value a design would refuse, with the reason; unfinished regions are not
        reported here."""
        if NEAR not in cleaned or ODDS not in cleaned:
            return
        question, level = section.question, level_from_fields(cleaned[NEAR], cleaned[ODDS])
        own, smallest = question.level_of_special_regions, question.smallest_ordinary_region_size
        if own and level_with_same_excess(level, own.near) is None:
            words = _(
                "These odds are not possible with %(near)s near cells in the regions protected more. "
                "The next smaller that are possible: %(odds)s."
            )
            smaller = (
                odds
                for odds in range(level.odds, 0, -1)
                if level_with_same_excess(PlaceLevel(level.near, odds), own.near)
            )
            yield ODDS, words % {"near": own.near, "odds": place_odds_text(next(smaller, level.odds))}
        elif level.near > (smallest or MOST_CELLS):
            words = _("The smallest region has %(cells)s cells, fewer than %(near)s.")
            yield NEAR, words % {"cells": format_count(smallest), "near": format_count(level.near)}
        elif level != question.level and section.valid_section:
            try:
                self.apply_settings(section, cleaned).as_design_section()
            except InputError as refusal:
                yield NEAR, Problem("", reason_text(refusal)).sentence

    def apply_settings(self, section: PlaceDraft, cleaned: Mapping[str, Any]) -> PlaceDraft:
        question, level = section.question, level_from_fields(cleaned[NEAR], cleaned[ODDS])
        fitted = (
            level_with_same_excess(level, question.level_of_special_regions.near)
            if question.level_of_special_regions
            else None
        )
        return replace(section, questions=(question.with_levels(level, fitted),))

    def start_page_chances(self, section: PlaceSection, language: str) -> PlaceChances:
        law, names_by_odds = section.law, dict[Fraction, list[str]]()
        for index, region in enumerate(section.question.regions):
            odds = Fraction(ceil(law.odds(index) * 10), 10)
            name = region.label.in_language_or_first(language) or region.name
            names_by_odds.setdefault(odds, []).append(name)
        levels = (
            LevelOdds(odds, ", ".join(names)) for odds, names in sorted(names_by_odds.items(), reverse=True)
        )
        return PlaceChances(chance_from_share(law.keep), tuple(levels), bool(law.cells_outside_regions))

    def sending_chances(self, section: PlaceSection, question: PlaceQuestion) -> SendingChances:
        return sending_chances_for_keep(section.law.keep)

    def region_label_positions(self, section: PlaceSection) -> tuple[LabelPosition, ...]:
        return region_label_positions(section.question)

    def draws_land_outline(self, section: PlaceSection) -> bool:
        return section.question.outline == LAND

    def file_columns(self, section: PlaceSection) -> FileColumns:
        return FileColumns(PlaceSection.kind, "places", script=place_analysis_facts)

    def warnings(self, draft: Questionnaire, number: int) -> Iterator[SettingsWarning]:
        section = draft.sections[number]
        assert isinstance(section, PlaceDraft)
        protection = place_protection(section, draft.disguised_respondents, PRIOR)
        if protection is None:
            return
        if not USUAL.admits(protection.guarantee.gamma):
            words = _(
                "This place alone can change the odds of something %(gamma)s times for people inside the regions "
                "(epsilon %(epsilon)s, more than %(most)s)."
            )
            yield weak_protection_warning(words, protection, number, stronger_disguise_fix(number))
        if protection.widest_margin > WIDE:
            words = _(
                "With %(expected)s answers, the margin of error of some shares of regions is ±%(points)s points."
            )
            yield wide_margin_warning(words, draft, protection.widest_margin, number)
        # A region that cannot be drawn larger is no fault, but its people are protected by the other regions only.
        small = [region.name for region in protection.region_margins if region.cells < FEW_CELLS]
        if small:
            words = ngettext(
                "The region %(names)s has very few cells. If someone is thought to be in it, they are "
                "thought to be at nearly one place. Draw it larger, or join it with another.",
                "The regions %(names)s have very few cells. If someone is thought to be in one, they "
                "are thought to be at nearly one place. Draw them larger, or join them with others.",
                len(small),
            )
            yield SettingsWarning("small", words % {"names": _(", ").join(small)}, (), number)
        if protection.cells_outside_regions:
            yield outside_regions_warning(draft, protection, number)
        places = [index for index, section in enumerate(draft.sections) if isinstance(section, PlaceDraft)]
        if len(places) > 1 and number == places[-1]:
            words = _(
                "The questionnaire asks for %(places)s places. If they are the same place, or lie on one way, they "
                "reveal it that many times: the odds multiply. Ask for one place, and do not ask the same people again."
            )
            yield SettingsWarning("twice", words % {"places": len(places)}, (), number)


def outside_regions_warning(
    draft: Questionnaire, protection: PlaceProtection, number: int
) -> SettingsWarning:
    """Returns the warning that people outside all regions are not protected."""
    words = _(
        "%(outside)s cells lie outside the regions. People there have no protection: their "
        "exact cell is sent %(keep)s of the time, is not disguised, and could be known to "
        "others. Draw regions around all that is sensitive."
    )
    words %= {
        "outside": format_count(protection.cells_outside_regions),
        "keep": format_percent(protection.keep_probability, 0),
    }
    plain = plain_questions(draft)
    possible = count_combinations(plain) * protection.cells_outside_regions
    alone = round(expected_unique_people(draft.respondents, possible))
    if plain and alone:
        more = _(
            "Together with the answers that are not disguised, about %(unique)s of %(expected)s "
            "people would be the only ones with theirs, if all combinations were equally likely."
        )
        more %= {"unique": format_count(alone), "expected": format_count(draft.respondents)}
        words = join_sentences([words, more])
    return SettingsWarning("outside", words, (), number)


def place_analysis_facts(section: PlaceSection, question: PlaceQuestion) -> Mapping[str, Fact]:
    """Returns the facts for analysis scripts: the answer of each cell (a region or *elsewhere*), and the probability of
    each answer among random ones."""
    law = question.law
    answers = tuple(question.item_choices[code].name for code in question.mined_codes[: question.codes])
    shares = (Decimal(share.numerator) / share.denominator for share in law.region_shares)
    return {
        "cells": markable_cell_texts(question.code_names),
        "answers": answers,
        "names": tuple(question.code_names),
        "outside": tuple(cell in law.cells_outside_regions for cell in range(question.codes)),
        "keep": Decimal(law.keep.numerator) / law.keep.denominator,
        "noise": (*shares, *(Decimal(0),) * bool(law.cells_outside_regions)),
    }
