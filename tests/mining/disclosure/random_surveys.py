"""Surveys drawn at random, sealed and published piece by piece, and what an attacker can make of them."""

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations, product
from typing import Any

import numpy as np
from django.test import Client
from django.utils import timezone
from numpy.typing import NDArray

from accounts.models import Person
from intake.disclosure.canonical_order import read_disguised, unpack_classes
from intake.disclosure.models import Disclosure, Door
from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design, parse
from privacy.kinds.number.number_question import UNMINED
from privacy.kinds.place.law import PlaceItems
from privacy.records import DISGUISED, OPEN
from privacy.records.packed_bit_columns import pack_batch
from privacy.simulation.disguise import disguise
from releases.lifecycle import release_decisions as release_deciding
from releases.lifecycle.release_disclosure_check import ledger_key
from releases.models import Release
from reports.models import Decision, Review
from reports.review import publishing, rule_decisions
from runs import run_start
from runs.models import Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.mining.counting.by_hand import mined
from tests.mining.disclosure.attacker import Attacker, Published, Survey as SurveySeen
from tests.privacy.questionnaires import subset
from tests.releases import made
from tests.runs import sealed
from tests.surveys.conftest import NOW

# A survey that is sealed, mined and published piece by piece, and read by somebody who may only view it.


def silent(fraction: float | None, text: str = "", **values: object) -> None:
    """Progress that nobody looks at."""


class Study:
    """`stage` numbers, of every record, what was sealed before it."""

    def __init__(self, owner: Person, reviewer: Person, design: Design) -> None:
        self.owner, self.reviewer, self.design = owner, reviewer, design
        self.survey: Survey = sealed.survey(owner, design, [])
        self.group = np.zeros(0, np.uint8)
        self.codes = np.zeros((len(design.questions), 0), np.uint16)
        self.stage = np.zeros(0, np.intp)
        self.stages = 0

    def show(self, viewer: Person) -> None:
        Collaborator.objects.create(survey=self.survey, person=viewer, may_edit=False)

    def seal(self, group: NDArray[np.uint8], codes: NDArray[np.uint16]) -> None:
        n = len(group)
        number = Batch.objects.filter(survey=self.survey).count() + 1
        columns = pack_batch(self.design, group, codes)
        Batch.objects.create(survey=self.survey, first=number, last=number, n=n, columns=columns)
        self.group = np.concatenate([self.group, group])
        self.codes = np.concatenate([self.codes, codes], axis=1)
        self.stage = np.concatenate([self.stage, np.full(n, self.stages)])
        self.stages += 1

    def finish(self) -> None:
        lifecycle.finish_survey(self.survey, self.owner, NOW)

    def mine(self, wanted: Parameters) -> Run:
        run = run_start.start(self.survey, self.owner, wanted, NOW, mlxtend="never")
        store = run.perform(silent)
        store()
        Run.objects.filter(pk=run.pk).update(state="done", started=NOW, finished=NOW)
        run.refresh_from_db()
        publishing.create_reviews_of_finished_runs(NOW)
        return run

    def publish(self, run: Run) -> None:
        """With every rule and the shares within the classes of every plain question."""
        review = Review.objects.get(run=run)
        rules = rule_decisions.rules_with_verdicts(run)
        if rules.exists():
            rule_decisions.decide_rules(review, self.reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)
        groups = [question.name for question in self.design.sections[0].questions]
        publishing.publish(review, self.reviewer, groups, "", timezone.now())

    def download(self, client: Client, run: Run) -> dict[str, Any]:
        answer = client.get(f"/app/reports/{run.pk}/files/json")
        assert answer.status_code == 200, answer.status_code
        report: dict[str, Any] = json.loads(answer.content)["report"]
        return report


LEAST = 10


def questionnaire(
    rng: np.random.Generator,
    *,
    numbers: bool = False,
    places: bool = False,
    sets: bool = False,
    ruled: float = 0.4,
) -> Design:
    """Plain questions with rare classes, one perhaps behind another; sensitive ones, rotating or behind a rule; or a
    number, a place or a set of choices, perhaps behind a rule, instead of the first of these sections."""
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
        if rng.random() < ruled:
            questions[-1]["show_if"] = {
                "p0": plain[0]["choices"][: int(rng.integers(1, len(plain[0]["choices"])))]
            }
        asked = {"asked": len(questions) - 1} if len(questions) > 1 and rng.random() < 0.4 else {}
        sections.append({"kind": "unrelated-question", "keep": "0.7", "questions": questions, **asked})
    if numbers:
        rule = {"p0": plain[0]["choices"][: int(rng.integers(1, len(plain[0]["choices"])))]}
        limits = [2, 4, 6][: int(rng.integers(2, 4))]
        number = {"name": "n", "show_if": rule if rng.random() < 0.8 else {}}
        rest = int(rng.random() < 0.5)
        ends = {"low": 0, "high": 7}
        by_classes = {"law": "classes", **ends, "limits": limits, "cuts": 1, "rest": rest}
        keeps = {"keep": "0.7"} | ({"keep_rest": "0.7"} if rest else {})
        window = {"law": "window", "values": 7, "window": 1, "uniform": "0.4"}
        sections[1] = (
            {"kind": "number", "questions": [number | window]}
            if rng.random() < 0.3
            else {"kind": "number", **keeps, "questions": [number | by_classes]}
        )
    if sets:
        rule = {"p0": plain[0]["choices"][: int(rng.integers(1, len(plain[0]["choices"])))]}
        sections[1] = subset(5, 2, "0.7", show_if=rule if rng.random() < 0.8 else {})
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
            truth[place, ~np.isin(truth[rule.place], list(rule.codes))] = question.true_hidden_code
    return group, disguise(design, group, truth, rng)


def patterns(design: Design, codes: Any) -> list[tuple[bool, ...]]:
    """Which conditions of the rules of sensitive questions each record meets."""
    rules = sorted(
        {
            (rule.place, tuple(sorted(rule.codes)))
            for section in design.sections
            if section.sensitive
            for question in section.questions
            for rule in question.show_if
        }
    )
    return [tuple(bool(record[place] in allowed) for place, allowed in rules) for record in codes.T.tolist()]


def disguised(group: Any, _codes: Any) -> Any:
    return group != OPEN


class Random:
    """A random survey that is sealed, mined and published piece by piece."""

    def __init__(self, owner: Person, reviewer: Person, rng: np.random.Generator, **of: Any) -> None:
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
        with suppress(NotAllowed):
            self.study.publish(run)
            self.published.append(Published(self.study.download(client, run), self.study.stages - 1))

    def used(self, group: Any, codes: Any) -> Any:
        """The disguised, and the open ones whose pattern ten or more share, counted by hand."""
        came, met = self.study, patterns(self.study.design.mined, codes)
        sizes = Counter(of for of, one in zip(met, came.group, strict=False) if one == OPEN)
        order = sorted(sizes, key=lambda of: sizes[of])
        out = [of for of in order if sizes[of] < LEAST]
        while out and sum(sizes[of] for of in out) < LEAST and len(out) < len(order):
            out = order[: len(out) + 1]
        kept = {of for of in sizes if of not in out}
        return np.array([one != OPEN or of in kept for one, of in zip(group, met, strict=True)])

    def attacked(self) -> Attacker:
        return Attacker.reading(possible_records(self.study, self.used), self.published)


def possible_records(came: Study, used: Callable[[Any, Any], Any] = disguised) -> SurveySeen:
    """Beside the records that came, one of every kind that could have come and did not."""
    design = came.design.mined
    group, codes, stage = every_kind(design, came.stages)
    as_mined = np.array([mined(came.design, record) for record in came.codes.T.tolist()], np.uint16).T
    weight = np.concatenate([np.ones(len(came.group), np.int64), np.zeros(len(group), np.int64)])
    group, codes = np.concatenate([came.group, group]), np.concatenate([as_mined, codes], axis=1)
    return SurveySeen(design, group, codes, np.concatenate([came.stage, stage]), weight, used(group, codes))


class Doors(Random):
    """A random survey of which reports and releases leave in any order."""

    def __init__(self, owner: Person, reviewer: Person, rng: np.random.Generator) -> None:
        super().__init__(owner, reviewer, rng, ruled=float(rng.choice([0.2, 0.9])))
        self.owner, self.reviewer = owner, reviewer
        self.released: list[Release] = []

    def live(self, client: Client) -> None:
        """Sealed three times and finished, with up to two disclosures at each time."""
        for least, most in ((60, 400), (20, 150), (20, 60)):
            self.seal(int(self.rng.integers(least, most)))
            self._tell(client)
        self.study.finish()
        self._tell(client)

    def _tell(self, client: Client) -> None:
        doors = [lambda: self.publish(client), self.release]
        for door in self.rng.permutation(len(doors))[: int(self.rng.integers(1, 3))]:
            doors[door]()

    def release(self) -> None:
        names = [question.name for question in self.study.design.sections[0].questions]
        chosen = sorted(self.rng.choice(names, int(self.rng.integers(1, len(names) + 1)), replace=False))
        joined = bool(self.released and self.rng.random() < 0.5)
        release = made.made(made.drafted(self.study.survey, self.owner, *chosen, joined=joined), self.owner)
        if release.state == Release.State.CHECKED:
            release_deciding.approve(release, self.reviewer, "", timezone.now())
            self.released.append(release)

    def used(self, group: Any, codes: Any) -> Any:
        """Whom the product itself chose when it finished the survey, rightly or not."""
        kept = Disclosure.objects.get(survey=self.study.survey, door=Door.FINISHING).kept["patterns"]
        bits = np.array(patterns(self.study.design.mined, codes), np.bool_)
        packed = np.packbits(bits, axis=1, bitorder="little")
        return (group != OPEN) | np.isin([row.tobytes().rstrip(b"\0").hex() for row in packed], kept)

    def attacked(self) -> Attacker:
        """A kind that nobody has may be in each class that shows its answers, and in none where somebody is in none."""
        survey = possible_records(self.study, self.used)
        for release in self.released:
            survey = self._with_classes(survey, release)
        return Attacker.reading(survey, self.published)

    def _with_classes(self, survey: SurveySeen, release: Release) -> SurveySeen:
        row = Disclosure.objects.get(survey=release.source.survey, door=Door.RELEASE, key=ledger_key(release))
        came = self.study.group != OPEN
        labels = read_disguised(self.study.survey, self.study.stages).classes_in_stored_order(
            row.last_batch, unpack_classes(row.classes)
        )
        real = np.full(len(came), -1, np.int64)
        real[came] = labels
        inside = (survey.group != OPEN) & (survey.stage < row.last_batch)
        names = specified(release)
        quasi = [place for place, question in enumerate(survey.design.questions) if question.name in names]
        own = survey.codes[:, : len(came)]
        everywhere = np.arange(len(inside))
        rows, classes = [everywhere[: len(came)], everywhere[~inside & (survey.weight == 0)]], [real]
        classes.append(np.full(len(rows[1]), -1, np.int64))
        nobody = inside & (survey.weight == 0)
        for label in np.unique(real[inside[: len(came)]]).tolist():
            of = own[:, (real == label) & inside[: len(came)]]
            fits = [np.isin(survey.codes[place], of[place]) for place in (quasi if label >= 0 else [])]
            rows.append(np.flatnonzero(np.logical_and.reduce([nobody, *fits])))
            classes.append(np.full(len(rows[-1]), label, np.int64))
        return survey.chosen(np.concatenate(rows), np.concatenate(classes))


def specified(release: Release) -> set[str]:
    """The columns whose values it shows."""
    return {column["name"] for column in json.loads(release.specification)["quasi_identifiers"]}


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
                    # No place that is hidden is asked.
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
