"""A sensitive place in a draft: its section and its law; and what an unfinished one still needs of a design."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, islice
from typing import Any, Self

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.grammar.node import read_json
from privacy.grammar.reading import ParsedSoFar
from privacy.kinds.mined_law import Disguised
from privacy.kinds.place import section as form
from privacy.kinds.place.section import FEWEST_CELLS, FURTHEST, MOST_CELLS, PlaceSection
from surveys.kinds.place.draft_question import PlaceDraftQuestion, as_place, read_place
from surveys.kinds.place.words import CELL_LABELS, fault_of_labels, place_texts, with_place_words
from surveys.phrases.chances import PLACE_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, NEAR_HEADS, TOY
from surveys.phrases.numbers_and_places import PLACES
from surveys.questionnaire.draft_question import DraftQuestion, Given
from surveys.questionnaire.draft_section import DraftSection, QuestionText
from surveys.questionnaire.normal_values import Node, law_node
from surveys.questionnaire.unfinished import with_rules

PLACE = PlaceSection.kind


@dataclass(frozen=True, kw_only=True)
class PlaceDraft(DraftSection):
    kind = PLACE
    script_phrases = {**TOY, **PLACES}
    phrases = {**HOW_IT_WORKS, **TOY, **NEAR_HEADS, **PLACE_CHANCES, **PLACES}
    questions: tuple[PlaceDraftQuestion, ...] = ()

    @property
    def question(self) -> PlaceDraftQuestion:
        return self.questions[0]

    @property
    def not_in_xlsform(self) -> str:
        return _("a place and its cells have no words in XLSForm; export the survey in Candor’s own format")

    @classmethod
    def read_question(cls, given: Given) -> PlaceDraftQuestion:
        return read_place(given)

    def settled(self) -> Self:
        return replace(super().settled(), questions=(self.question.settled(),))

    def strict(self) -> PlaceSection:
        """As a design has it, without texts and rules; an `InputError` says what is wrong with it."""
        question = law_node(self.question.as_json())
        question["cells"] = [law_node(cell.as_json()) for cell in self.question.cells]
        question["regions"] = [law_node(region.as_json()) for region in self.question.regions]
        return _parsed(json.dumps({"kind": PLACE, "questions": [question]}))

    @property
    def fitting(self) -> PlaceSection | None:
        """None while its cells, regions and levels do not fit."""
        try:
            return self.strict()
        except InputError:
            return None

    def law(self) -> Disguised | None:
        question = self.fitting
        return question.law if question else None

    @classmethod
    def finished(cls, question: Mapping[str, Any]) -> Node:
        """With more cells, a region, and so many cells in each region as are near, wherever there are fewer yet."""
        made = with_rules(question)
        cells, regions = question.get("cells"), question.get("regions")
        if not isinstance(cells, list) or not isinstance(regions, list):
            return made
        added: list[str] = []
        names = _recorded((f"unfinished {number}" for number in count()), added)
        empty = {"name": "unfinished region", "cells": []}
        drawn = [_with_cells(each, question.get("near"), names) for each in regions or [empty]]
        while len(cells) + len(added) < FEWEST_CELLS:
            next(names)
        filled = [{"name": name, "at": [FURTHEST - row, -FURTHEST]} for row, name in enumerate(added)]
        return {**made, "cells": [*cells, *filled], "regions": drawn}

    def more_texts(self, question: DraftQuestion, path: str) -> Iterator[QuestionText]:
        return place_texts(as_place(question), path)

    def with_more_texts(
        self, question: DraftQuestion, language: str, words: Mapping[str, str]
    ) -> PlaceDraftQuestion:
        return with_place_words(as_place(question), language, words)

    def text_faults(self, question: DraftQuestion, words: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if CELL_LABELS in words and (fault := fault_of_labels(as_place(question), words[CELL_LABELS])):
            yield CELL_LABELS, fault


@lru_cache(maxsize=16)
def _parsed(section: str) -> PlaceSection:
    """Thousands of cells take a while, and one page asks often."""
    return form.read(read_json(section, "section"), ParsedSoFar(("en",)))


def _with_cells(region: Any, near: Any, names: Iterator[str]) -> Any:
    if not isinstance(region, Mapping) or not isinstance(region.get("cells"), list):
        return region
    wanted = region.get("near", near)
    least = min(wanted, MOST_CELLS) if type(wanted) is int else 1
    missing = max(1, least) - len(region["cells"])
    return {**region, "cells": [*region["cells"], *islice(names, max(0, missing))]}


def _recorded(names: Iterator[str], given: list[str]) -> Iterator[str]:
    for name in names:
        given.append(name)
        yield name
