"""Sensitive places in a draft: their cells, regions and levels of protection, how they are parsed, and the law by which
a device randomises a place.

Stored as in a design, except that cells and regions may still be missing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from typing import Any, Self

from django.utils.translation import gettext as _

from mining.json_codec import OPTIONAL
from privacy.grammar.input_error import InputError
from privacy.grammar.json_node import read_json
from privacy.grammar.question_reading import RESERVED_CHOICES, ParsedSoFar
from privacy.kinds.disguise_law_interface import Disguised
from privacy.kinds.place import section as place_section
from privacy.kinds.place.law import ELSEWHERE, PlaceLevel, Point, V
from privacy.kinds.place.section import (
    FEWEST_CELLS,
    FEWEST_POINTS,
    FURTHEST,
    LAND,
    LEAST_ODDS,
    MOST_CELLS,
    MOST_ODDS,
    MOST_REGIONS,
    ODDS,
    Outline,
    PlaceSection,
    Ring,
    odds_text,
)
from surveys.phrases.how_answers_are_disguised import HOW_IT_WORKS, PLACE_CHANCES, TOY
from surveys.phrases.numbers_and_places import PLACES
from surveys.questionnaire.draft_question import Choice, DraftQuestion, QuestionInput, Words
from surveys.questionnaire.draft_section import DraftSection, QuestionText, without_empty_rules
from surveys.questionnaire.report_sentence_texts import answer_sentence_texts
from surveys.questionnaire.translatable_texts import choice_with_sentences, sentence_texts_of_answer
from surveys.questionnaire.value_normalization import (
    Node,
    UniqueNames,
    list_or_empty,
    members_that_affect_disguise,
    normal_name,
    normal_text,
    normal_texts,
)

PLACE = PlaceSection.kind
NEAR = 1
USUAL_LEVEL = PlaceLevel(NEAR, 1_899)  # where nobody says otherwise; odds just below 19
LABELS = "labels"
"""Name of the field with the labels of all cells, as lines "name = label": among thousands of cells most have
no label."""
LONGEST_LABELS = 400_000


@dataclass(frozen=True, kw_only=True)
class Cell(Choice):
    """A cell of a map: its point, and its shape if it has one."""

    at: Point
    shape: tuple[Ring, ...] = field(default=(), metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class Region(Choice):
    """A region, given by the names of its `cells`; `level` is None if it is protected like the question."""

    cells: tuple[str, ...] = ()
    level: PlaceLevel | None = None

    def as_json(self) -> Node:
        return json_with_level(super().as_json(), self.level)


def label_or_name(part: Cell | Region, language: str) -> str:
    return part.label.get(language) or part.name


def json_with_level(node: Node, level: PlaceLevel | None) -> Node:
    """Replaces `level` in the JSON of a place or region by the fields `near` and `odds` of a design; by nothing if the
    level is None."""
    del node["level"]
    return {**node, "near": level.near, "odds": odds_text(level.odds)} if level else node


@dataclass(frozen=True, kw_only=True)
class PlaceDraftQuestion(DraftQuestion):
    """A place with its cells and regions; `level` is the protection of all regions without a level of their own."""

    cells: tuple[Cell, ...] = ()
    regions: tuple[Region, ...] = ()
    level: PlaceLevel = USUAL_LEVEL
    outline: Outline = field(default=None, metadata=OPTIONAL)
    form: str = field(default="", metadata=OPTIONAL)
    choices: tuple[Choice, ...] = field(default=(), metadata=OPTIONAL)

    @property
    def law_settings(self) -> tuple[PlaceLevel | None, ...]:
        return self.level, *(region.level for region in self.regions)

    @property
    def level_of_special_regions(self) -> PlaceLevel | None:
        """Level of the first region that has a level of its own; None if no region has one."""
        return next((region.level for region in self.regions if region.level), None)

    @property
    def smallest_ordinary_region_size(self) -> int:
        """Number of cells of the smallest region without a level of its own; 0 without regions."""
        return min((len(region.cells) for region in self.regions if not region.level), default=0)

    @property
    def cell_names(self) -> tuple[str, ...]:
        return tuple(cell.name for cell in self.cells)

    def without_sentence_texts_in(self, language: str) -> Self:
        return replace(
            self, regions=tuple(region.without_sentence_texts_in(language) for region in self.regions)
        )

    def with_levels(self, level: PlaceLevel, special_level: PlaceLevel | None = None) -> "PlaceDraftQuestion":
        """Returns the question with the protection level `level`; regions with a level of their own get
        `special_level`, or keep theirs if it is None."""
        regions = (
            replace(region, level=special_level) if special_level and region.level else region
            for region in self.regions
        )
        return replace(self, level=level, regions=tuple(regions))

    def normalized(self) -> "PlaceDraftQuestion":
        """Makes names unique, orders the cells of regions, and keeps each cell only in the first region that lists
        it."""
        names = UniqueNames([*RESERVED_CHOICES, ELSEWHERE])
        cells = tuple(replace(cell, name=names.make_unique(cell.name)) for cell in self.cells)
        order = {cell.name: number for number, cell in enumerate(cells)}
        regions = []
        for region in self.regions:
            own = tuple(sorted(set(region.cells) & order.keys(), key=order.__getitem__))
            regions.append(replace(region, name=names.make_unique(region.name), cells=own))
            for name in own:
                del order[name]
        return replace(self, cells=cells, regions=tuple(regions))

    def as_json(self) -> Node:
        regions = [region.as_json() for region in self.regions]
        return json_with_level({**super().as_json(), "regions": regions}, self.level)


def require_place_question(question: DraftQuestion) -> PlaceDraftQuestion:
    assert isinstance(question, PlaceDraftQuestion)
    return question


@dataclass(frozen=True, kw_only=True)
class PlaceDraft(DraftSection):
    """A section with one sensitive place."""

    kind = PLACE
    script_phrases = {**TOY, **PLACES}
    phrases = {**HOW_IT_WORKS, **TOY, **PLACE_CHANCES, **PLACES}
    questions: tuple[PlaceDraftQuestion, ...] = ()

    @property
    def question(self) -> PlaceDraftQuestion:
        return self.questions[0]

    @property
    def xlsform_obstacle(self) -> str:
        return _("a place and its cells have no words in XLSForm; export the survey in Candor’s own format")

    @classmethod
    def read_question(cls, given: QuestionInput) -> PlaceDraftQuestion:
        """Parses a place from unchecked JSON."""
        data, outline = given.data, given.data.get("outline")
        regions = (
            Region(
                normal_name(region.get("name")) or "region-1",
                normal_texts(region.get("label"), given.languages),
                **answer_sentence_texts(region, given.languages),
                cells=tuple(map(normal_name, list_or_empty(region.get("cells")))),
                level=_read_level(region),
            )
            for region in _read_json_objects(data.get("regions"), MOST_REGIONS)
        )
        return PlaceDraftQuestion(
            **given.common,
            cells=read_cells(data.get("cells"), given.languages),
            regions=tuple(regions),
            level=_read_level(data) or USUAL_LEVEL,
            outline=LAND if outline == LAND else _read_rings(data, "outline") or None,
        )

    def normalized(self) -> Self:
        return replace(super().normalized(), questions=(self.question.normalized(),))

    def as_design_section(self) -> PlaceSection:
        """Parses the section as an opened survey would, without texts and rules; raises `InputError` if it is
        invalid."""
        question = members_that_affect_disguise(self.question.as_json())
        question["cells"] = [members_that_affect_disguise(cell.as_json()) for cell in self.question.cells]
        question["regions"] = [
            members_that_affect_disguise(region.as_json()) for region in self.question.regions
        ]
        return _parse_place_section(json.dumps({"kind": PLACE, "questions": [question]}))

    @property
    def valid_section(self) -> PlaceSection | None:
        """The section as an opened survey would parse it; None if cells, regions and levels do not fit together."""
        try:
            return self.as_design_section()
        except InputError:
            return None

    def disguise_law(self) -> Disguised | None:
        section = self.valid_section
        return section.law if section else None

    @classmethod
    def complete_question(cls, question: Mapping[str, Any]) -> Node:
        """Adds placeholder cells, and a region if there is none, to the JSON of an unfinished place, so that a design
        with it can be checked."""
        node, cells, regions = without_empty_rules(question), question.get("cells"), question.get("regions")
        if not isinstance(cells, list) or not isinstance(regions, list):
            return node
        added: list[str] = []
        filled = list(regions) or [{"name": "unfinished region", "cells": []}]
        for row, region in enumerate(filled):
            if isinstance(region, Mapping) and isinstance(region.get("cells"), list):
                near = region.get("near", question.get("near"))
                least = max(1, min(near, MOST_CELLS)) if type(near) is int else 1
                start, missing = len(added), max(0, least - len(region["cells"]))
                added += (f"unfinished {number}" for number in range(start, start + missing))
                filled[row] = {**region, "cells": [*region["cells"], *added[start:]]}
        while len(cells) + len(added) < FEWEST_CELLS:
            added.append(f"unfinished {len(added)}")
        more = [{"name": name, "at": [FURTHEST - row, -FURTHEST]} for row, name in enumerate(added)]
        return {**node, "cells": [*cells, *more], "regions": filled}

    def kind_specific_texts(self, question: DraftQuestion, path: str) -> Iterator[QuestionText]:
        place = require_place_question(question)
        for row, region in enumerate(place.regions):
            label = _("Region %(number)s") % {"number": row + 1}
            yield QuestionText(f"region-{row}", f"{path}.regions[{row}].label", label, region.label, True)
        for row, region in enumerate(place.regions):
            yield from sentence_texts_of_answer(region, row, f"{path}.regions[{row}]")
        lines: dict[str, list[str]] = {}
        for cell in place.cells:
            for language, label in cell.label.items():
                lines.setdefault(language, []).append(f"{cell.name} = {' '.join(label.split())}")
        labels = {language: "\n".join(of_cells) for language, of_cells in lines.items()}
        yield QuestionText(LABELS, f"{path}.cells", _("Labels of cells"), labels, False, LONGEST_LABELS)

    def set_kind_specific_texts(
        self, question: DraftQuestion, language: str, words: Mapping[str, str]
    ) -> PlaceDraftQuestion:
        """Sets the labels of cells, and the labels and report sentences of regions, in one language.

        Missing fields keep their texts; a cell without a line loses its label.
        """
        place = require_place_question(question)
        regions = tuple(
            replace(region, label=replace_label_in_language(region.label, language, words[f"region-{row}"]))
            if f"region-{row}" in words
            else region
            for row, region in enumerate(place.regions)
        )
        regions = tuple(
            choice_with_sentences(region, row, language, words) for row, region in enumerate(regions)
        )
        cells = place.cells
        if LABELS in words:
            labels = {name: label for _row, name, label in read_label_lines(words[LABELS])}
            cells = tuple(
                replace(
                    cell, label=replace_label_in_language(cell.label, language, labels.get(cell.name, ""))
                )
                for cell in cells
            )
        return replace(place, regions=regions, cells=cells)

    def kind_specific_text_faults(
        self, question: DraftQuestion, words: Mapping[str, Any]
    ) -> Iterator[tuple[str, str]]:
        names = set(require_place_question(question).cell_names)
        for row, name, label in read_label_lines(words.get(LABELS, "")):
            if name not in names:
                fault = _("Line %(row)s: no cell is called “%(name)s”.")
            elif not label:
                fault = _("Line %(row)s: write “%(name)s = label”.")
            else:
                continue
            yield LABELS, fault % {"row": row, "name": name}
            return


@lru_cache(maxsize=16)
def _parse_place_section(section: str) -> PlaceSection:
    """Parses the JSON of a section.

    Cached, since thousands of cells take long and a page needs it often.
    """
    return place_section.read_section(read_json(section, "section"), ParsedSoFar(("en",)))


def replace_label_in_language(label: Words, language: str, text: str) -> Words:
    """Returns the label with the text in this language replaced by `text`; an empty text removes it."""
    others = {code: label for code, label in label.items() if code != language}
    return {**others, language: normal_text(text)} if text.strip() else others


def read_label_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields line number, cell name and label of each line `cell = label`; skips empty lines."""
    for row, line in enumerate(text.splitlines(), 1):
        if line.strip():
            name, _equals, label = line.partition("=")
            yield row, name.strip(), label.strip()


def read_cells(value: object, languages: Sequence[str]) -> tuple[Cell, ...]:
    """Parses cells from unchecked JSON: skips what is no cell, and gives a cell a free point if its own is invalid or
    taken."""
    nodes = _read_json_objects(value, MOST_CELLS)
    points = [_read_point(node.get("at")) for node in nodes]
    occupied = set(points)
    free = ((number, 0) for number in count() if (number, 0) not in occupied)
    cells: dict[Point, Cell] = {}
    for node, point in zip(nodes, points, strict=True):
        at = next(free) if point is None or point in cells else point
        name, label = normal_name(node.get("name")) or "c1", normal_texts(node.get("label"), languages)
        cells[at] = Cell(name, label, at=at, shape=_read_rings(node, "shape"))
    return tuple(cells.values())


def _read_json_objects(value: object, most: int) -> list[Mapping[str, Any]]:
    return [node for node in list_or_empty(value) if isinstance(node, Mapping)][:most]


def _read_point(value: object) -> Point | None:
    if isinstance(value, list) and len(value) == 2 and all(map(_is_coordinate, value)):
        return value[0], value[1]
    return None


def _read_rings(node: Mapping[str, Any], key: str) -> tuple[Ring, ...]:
    rings = (ring for ring in list_or_empty(node.get(key)) if isinstance(ring, list))
    return tuple(
        tuple(ring)
        for ring in rings
        if len(ring) % 2 == 0 and len(ring) >= 2 * FEWEST_POINTS and all(map(_is_coordinate, ring))
    )


def _is_coordinate(value: object) -> bool:
    return type(value) is int and -FURTHEST <= value <= FURTHEST


def _read_level(node: Mapping[str, Any]) -> PlaceLevel | None:
    near, odds = node.get("near"), node.get("odds")
    match = ODDS.fullmatch(odds) if isinstance(odds, str) else None
    if match is None or type(near) is not int or not 1 <= near <= MOST_CELLS:
        return None
    hundredths = int(match[1]) * V + int((match[2] or "").ljust(2, "0"))
    return PlaceLevel(near, hundredths) if LEAST_ODDS <= hundredths <= MOST_ODDS else None
