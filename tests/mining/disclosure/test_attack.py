"""Nobody can work out one person's open answer, or a plain cell below ten, from all that is published of a survey."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from django.test import Client

from mining.parameters import Parameters
from people.models import Person
from privacy.designs import Design, parse
from privacy.kinds.place.mined import PlaceItems
from privacy.records import DISGUISED, OPEN
from privacy.records.mined_codes import UNMINED
from privacy.simulation.disguise import disguise
from surveys.refused import Refused
from tests.cast import somebody
from tests.hints import broker
from tests.mining.counting.by_hand import mined
from tests.mining.disclosure.attacker import Attacker, Published, Survey
from tests.mining.disclosure.studied import Study

pytestmark = pytest.mark.proof
__all__ = ["broker"]

LEAST = 10


def questionnaire(rng: np.random.Generator, *, numbers: bool = False, places: bool = False) -> Design:
    """Plain questions with rare classes, one perhaps behind another; sensitive ones, rotating or behind a rule; or a
    number or a place, perhaps behind a rule, instead of the first of these sections."""
    plain: list[dict[str, Any]] = []
    for place in range(int(rng.integers(1, 4))):
        choices = [f"c{code}" for code in range(int(rng.integers(2, 5)))]
        question: dict[str, Any] = {"name": f"p{place}", "choices": choices}
        if place and rng.random() < 0.3:
            question["show_if"] = {"p0": [plain[0]["choices"][0]]}
        plain.append(question)
    sections: list[dict[str, Any]] = [{"kind": "plain", "questions": plain}]
    for section in range(int(rng.integers(1, 3))):
        questions: list[dict[str, Any]] = [
            {"name": f"s{section}{place}", "choices": ["no", "yes"]}
            for place in range(int(rng.integers(1, 4)))
        ]
        if rng.random() < 0.4:
            questions[-1]["show_if"] = {
                "p0": plain[0]["choices"][: int(rng.integers(1, len(plain[0]["choices"])))]
            }
        asked = {"asked": len(questions) - 1} if len(questions) > 1 and rng.random() < 0.4 else {}
        sections.append({"kind": "unrelated-question", "keep": "0.7", "questions": questions, **asked})
    if numbers:
        rule = {"p0": plain[0]["choices"][: int(rng.integers(1, len(plain[0]["choices"])))]}
        points = [0, 2, 4, 6][: int(rng.integers(3, 5))]
        number = {"name": "n", "show_if": rule if rng.random() < 0.8 else {}}
        by_thresholds = {"law": "thresholds", "thresholds": points, "mean": bool(rng.random() < 0.5)}
        window = {"law": "window", "values": 7, "window": 1, "uniform": "0.4"}
        sections[1] = (
            {"kind": "number", "questions": [number | window]}
            if rng.random() < 0.3
            else {"kind": "number", "keep": "0.7", "questions": [number | by_thresholds]}
        )
    if places:
        sections[1] = {"kind": "place", "questions": [any_place(rng, plain[0]["choices"])]}
    said = {"open_answers": True, "least": 20, "title": {"en": "Attacked"}}
    return parse(json.dumps({"format": "candor-design/1", "sections": sections, **said}))


def any_place(rng: np.random.Generator, choices: list[str]) -> dict[str, Any]:
    """Two or three regions, and one to three cells outside."""
    cells = [{"name": f"x{number}", "at": [number, 0]} for number in range(8)]
    regions = [
        {"name": f"r{number}", "cells": [f"x{2 * number}", f"x{2 * number + 1}"]}
        for number in range(int(rng.integers(2, 4)))
    ]
    outside = int(rng.integers(1, 3))
    rule = {"p0": choices[: int(rng.integers(1, len(choices)))]} if rng.random() < 0.4 else {}
    used = cells[: 2 * len(regions) + outside]
    return {"name": "h", "cells": used, "regions": regions, "near": 1, "odds": "9", "show_if": rule}


def people(design: Design, n: int, opened: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Some of many kinds; a class may have one person, who may be the only open one in it."""
    group = np.where(rng.random(n) < opened, OPEN, DISGUISED).astype(np.uint8)
    truth = np.zeros((len(design.questions), n), np.uint16)
    for place, question in enumerate(design.questions):
        weights = rng.dirichlet(np.full(question.true_codes, 0.7)) * 0.98 + 0.02 / question.true_codes
        truth[place] = rng.choice(question.true_codes, n, p=weights / weights.sum())
        for rule in question.show_if:
            truth[place, ~np.isin(truth[rule.place], list(rule.codes))] = question.true_hidden
    return group, disguise(design, group, truth, rng)


class Random:
    """A random survey that is sealed, mined and published piece by piece."""

    def __init__(self, owner: Person, reviewer: Person, rng: np.random.Generator, **of: bool) -> None:
        self.rng = rng
        self.study = Study(owner, reviewer, questionnaire(rng, **of))
        self.opened = float(rng.choice([0.02, 0.1, 0.5]))
        self.published: list[Published] = []

    def seal(self, n: int) -> None:
        self.study.seal(*people(self.study.design, n, self.opened, self.rng))

    def publish(self, client: Client) -> None:
        rng = self.rng
        wanted = Parameters(float(rng.choice([0.05, 0.2])), 0.2, absences=bool(rng.random() < 0.5))
        run = self.study.mine(wanted)
        with suppress(Refused):
            self.study.publish(run)
            self.published.append(Published(self.study.download(client, run), self.study.stages - 1))

    def used(self, group: Any, codes: Any) -> Any:
        """The disguised, and the open ones whose pattern ten or more share, counted by hand."""
        design, came = self.study.design.mined, self.study
        rules = sorted(
            {
                (rule.place, tuple(sorted(rule.codes)))
                for section in design.sections
                if section.sensitive
                for question in section.questions
                for rule in question.show_if
            }
        )
        met = [tuple(record[place] in allowed for place, allowed in rules) for record in codes.T.tolist()]
        sizes = Counter(of for of, one in zip(met, came.group, strict=False) if one == OPEN)
        order = sorted(sizes, key=lambda of: sizes[of])
        out = [of for of in order if sizes[of] < LEAST]
        while out and sum(sizes[of] for of in out) < LEAST and len(out) < len(order):
            out = order[: len(out) + 1]
        kept = {of for of in sizes if of not in out}
        return np.array([one != OPEN or of in kept for one, of in zip(group, met, strict=True)])

    def attacked(self) -> Attacker:
        """Beside the records that came, one of every kind that could have come and did not."""
        came = self.study
        design = came.design.mined
        group, codes, stage = every_kind(design, came.stages)
        as_mined = np.array([mined(came.design, record) for record in came.codes.T.tolist()], np.uint16).T
        weight = np.concatenate([np.ones(len(came.group), np.int64), np.zeros(len(group), np.int64)])
        return Attacker(
            Survey(
                design,
                np.concatenate([came.group, group]),
                np.concatenate([as_mined, codes], axis=1),
                np.concatenate([came.stage, stage]),
                weight,
                self.used(np.concatenate([came.group, group]), np.concatenate([as_mined, codes], axis=1)),
            ),
            self.published,
        )


def every_kind(design: Design, stages: int) -> tuple[Any, Any, Any]:
    """Plain answers, what was drawn, places, group and stage; other sensitive answers are all the first choice."""
    kinds: list[tuple[int, int, list[int]]] = []
    plain = len(design.sections[0].questions)
    options = []
    for section in design.sections[1:]:
        places = range(len(section.questions))
        options.append(list(combinations(places, getattr(section, "asked", len(section.questions)))))
    for answers in product(*(range(len(question.choices) + 1) for question in design.questions[:plain])):
        codes = [
            code if code < len(q.choices) else q.not_applicable
            for q, code in zip(design.questions, answers, strict=False)
        ]
        if any(
            question.applies(codes) == (code == question.not_applicable)
            for question, code in zip(design.questions, codes, strict=False)
        ):
            continue
        for drawn in product(*options):
            options_of = []
            for section, chosen in zip(design.sections[1:], drawn, strict=True):
                for place, question in enumerate(section.questions):
                    shown = question.applies(codes)
                    answered = [0 if question.codes else UNMINED]
                    if isinstance(question, PlaceItems):
                        answered = list(range(question.codes))
                    # Of a number that is hidden no threshold is asked, and no hidden place.
                    hidden = question.not_asked if question.asked_if_shown else question.not_applicable
                    one = [question.not_asked] if place not in chosen else answered if shown else [hidden]
                    options_of.append(one)
            rows_of = [[*codes, *rest] for rest in product(*options_of)]
            kinds += [
                (group, stage, row)
                for row in rows_of
                for group in (OPEN, DISGUISED)
                for stage in range(stages)
            ]
    group, stage, rows = zip(*kinds, strict=True)
    return np.array(group, np.uint8), np.array(rows, np.uint16).T, np.array(stage, np.intp)


SEEDS = (*range(32), 40, 68, 103)
"""A survey each. Without most of the rules of mining/disclosure, taken one by one, two or more of them give something
away: 40 and 68 where groups of eight open records count as large enough, 103 where *not applicable* may hide a class
beside it. test_small_cells.py holds some of the others."""


OF_NUMBERS = (*range(24), 44, 61)
"""Surveys with a number. 20 gives a cell of eight away where only the counts of everybody decide about a number behind
a rule, 44 and 61 where a class shows how many of it were asked about a threshold of such a number."""

OF_PLACES = range(24)
"""Surveys with a place."""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("seeds", "of"),
    [
        *((SEEDS[first::5], {}) for first in range(5)),
        *((OF_NUMBERS[first::3], {"numbers": True}) for first in range(3)),
        *((OF_PLACES[first::3], {"places": True}) for first in range(3)),
    ],
)
def test_no_open_answer_and_no_small_cell_can_be_worked_out(
    seeds: Sequence[int], of: dict[str, bool], owner: Person, reviewer: Person, client: Client
) -> None:
    """Each is sealed, mined and published three times and once more when it is finished, and read by somebody who may
    only view it."""
    viewer = somebody("viewer")
    client.force_login(viewer)
    many = 0
    for seed in seeds:
        survey = Random(owner, reviewer, np.random.default_rng(seed), **of)
        survey.study.show(viewer)
        for least, most in ((150, 400), (20, 150), (20, 60)):
            survey.seal(int(survey.rng.integers(least, most)))
            survey.publish(client)
        survey.study.finish()
        survey.publish(client)
        attacker, said = survey.attacked(), (seed, survey.study.design.canonical)
        assert not [found for found in attacker.open_answers() if found[1] < LEAST], said
        assert not list(attacker.small_cells(LEAST)), said
        many += len(attacker.plain)
    assert many > 10 * len(seeds)


def few_without_a_number(hidden: int) -> Design:
    number = {"name": "n", "law": "thresholds", "thresholds": [0, 2, 4], "show_if": {"p": ["a"]}}
    sections = [
        {"kind": "plain", "questions": [{"name": "p", "choices": ["a", "b"]}]},
        {"kind": "unrelated-question", "keep": "0.7", "questions": [{"name": "s", "choices": ["no", "yes"]}]},
        {"kind": "number", "keep": "0.7", "questions": [number]},
    ]
    said = {"open_answers": True, "least": 20, "title": {"en": f"Attacked {hidden}"}}
    return parse(json.dumps({"format": "candor-design/1", "sections": sections, **said}))


@pytest.mark.django_db
@pytest.mark.parametrize("hidden", [5, 15])
def test_open_answers_of_those_to_whom_a_number_does_not_apply_cannot_be_worked_out(
    hidden: int, owner: Person, reviewer: Person, client: Client
) -> None:
    """From s of all, s of those asked about each threshold (in rules), and s of the disguised with p=b."""
    rng = np.random.default_rng(1)
    viewer = somebody("viewer")
    client.force_login(viewer)
    survey = Random(owner, reviewer, rng)
    design = few_without_a_number(hidden)
    survey.study = study = Study(owner, reviewer, design)
    study.show(viewer)
    n = np.array([200, hidden, 400, 100])
    group, employed = np.repeat([OPEN, OPEN, DISGUISED, DISGUISED], n), np.repeat([0, 1, 0, 1], n)
    truth = np.array([employed, rng.random(n.sum()) < 0.6, rng.integers(0, 5, n.sum())], np.uint16)
    truth[2, employed == 1] = design.questions[2].true_hidden
    study.seal(group.astype(np.uint8), disguise(design, group.astype(np.uint8), truth, rng))
    study.finish()
    run = study.mine(Parameters(0.05, 0.05, absences=True))
    study.publish(run)
    content = study.download(client, run)
    survey.published.append(Published(content, 0))
    rules = [{*rule["antecedent"], *rule["consequent"]} for rule in content["rules"]]
    assert all({"s=yes", f"n=>={threshold}"} in rules for threshold in (2, 4))
    assert content["about"]["opened"] == (200 + hidden if hidden >= LEAST else 0)
    found = {count for _items, count in survey.attacked().open_answers()}
    assert (hidden in found) is (hidden >= LEAST)
    assert not [count for count in found if count < LEAST]
