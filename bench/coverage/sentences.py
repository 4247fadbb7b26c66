"""The front of whole reports: how often the first sentence is false, and whether the intervals that stand there hold.

What stands on a front was chosen from many, by those who drew the survey and by its outcome.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.coverage.section import Measures, Value, grid
from mining.nodes.report_nodes import About, Report, Rule
from mining.nodes.study_nodes import ASSOCIATION
from mining.parameters import Parameters
from privacy.designs.hypothesis_plan import parse_plan
from privacy.records.record import DISGUISED
from privacy.simulation.population import Independent, LatentClasses, Population
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    UNDERSTOOD,
    WORK,
    classes,
    crosswise,
    design,
    plain,
    question,
    sensitive,
    subset,
)

if TYPE_CHECKING:
    from reports.simulated_reports.simulated_surveys import SimulatedSurveys

SENSITIVE = 4
ABOUT = About(1, "", False, "", 0, 0, 0, "stratified", "bitmap", False, 0.05, 0.1, 3, False, "")
WANTED = Parameters(0.05, 0.1, max_size=3)


@dataclass(frozen=True)
class Surveys:
    """`plain` questions of three choices and four sensitive ones; `alike`: nothing goes together with anything."""

    n: int
    plain: int
    arms: bool
    alike: bool

    def __str__(self) -> str:
        people, arms = "nobody differs" if self.alike else "two classes of people", ", two arms" * self.arms
        return f"{people}, {self.n:,} records, {self.plain} plain questions{arms}"


@dataclass(frozen=True)
class Shape:
    """Surveys of another shape, of people who are all `alike` or of those whom a rehearsal draws."""

    name: str
    n: int
    sections: tuple[dict[str, Any], ...]
    open_answers: bool = False
    alike: bool = True

    def __str__(self) -> str:
        return f"{self.name}, {self.n:,} records"


def asked(*names: str, many: int = 3) -> dict[str, Any]:
    """Plain questions of so many choices."""
    return plain(*({"name": name, "choices": list("abcde"[:many])} for name in names))


SHAPES = (
    Shape(
        "two sections of different protection",
        1_000,
        (
            asked("age"),
            sensitive("0.3", question("theft", *HALF), question("drugs", *HALF)),
            sensitive("0.8", question("drink", *THIRDS), question("lie", *HALF)),
        ),
    ),
    Shape(
        "rules hide questions",
        1_500,
        (
            plain(WORK, {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}),
            sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("drink", *THIRDS)),
        ),
    ),
    Shape(
        "two of five questions are drawn",
        2_000,
        (asked("age"), sensitive("0.6", *(question(f"s{at}", *HALF) for at in range(5)), asked=2)),
    ),
    Shape("crosswise", 1_500, (asked("age", "sex"), crosswise("theft", "0.2"), crosswise("drugs", "0.3"))),
    Shape(
        "a quarter answer openly",
        800,
        (asked("age"), sensitive("0.5", *(question(f"s{at}", *HALF) for at in range(3)))),
        open_answers=True,
    ),
    Shape(
        "a number of four classes",
        1_500,
        (asked("age"), classes("hours", "0.6", 0, 10, 20, 30), sensitive("0.6", question("theft", *HALF))),
    ),
    Shape("a set of two of five choices", 1_200, (asked("age", "sex"), subset(5, 2, "0.6"))),
    Shape(
        "a check of understanding",
        1_200,
        (asked("age"), sensitive("0.6", question("theft", *HALF), question("drugs", *HALF)), UNDERSTOOD),
    ),
    Shape("plain questions alone", 300, (asked(*(f"p{at}" for at in range(7)), many=2),)),
)


def fronts(setting: Surveys | Shape, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    simulated = simulated_surveys(setting, int(rng.integers(2**31)))
    false, held, truths = 0, list[bool](), list[CheckedStatement]()
    for number in range(surveys):
        report = simulated.simulate_report(np.random.default_rng([simulated.seed, number]))
        false += simulated.judge_first_findings(report).begins_false
        held += intervals_hold(simulated, report)
        truths += true_statements(simulated, report)
    people_are = "nobody differs" if simulated.alike else "two classes"
    yield Value(f"first sentence false, {people_are}", str(setting), false / surveys, surveys)
    if len(held) >= surveys / 2:
        yield Value("interval of the front", str(setting), float(np.mean(held)), len(held))
    if simulated.alike:
        return
    stated = [one.holds_estimate for one in truths if one.holds_estimate is not None]
    near, weak = ([one.holds_near_end for one in truths if one.is_weak >= least] for least in (False, True))
    of = {
        "estimate not above the truth": stated,
        "near end not above the truth": near,
        "near end of what is found less than half the time": weak,
    }
    for name, row in of.items():
        if len(row) >= surveys / 2:
            yield Value(f"found ones alone: {name}", str(setting), float(np.mean(row)), len(row))


class CheckedStatement(NamedTuple):
    """Of a difference or ratio that was found: whether its estimate, if that is stated, and the near end of its
    interval are not further from no effect than the truth. `is_weak`: such a survey finds it less than half the time.
    """

    holds_estimate: bool | None
    holds_near_end: bool
    is_weak: bool


def true_statements(simulated: "SimulatedSurveys", report: Report) -> list[CheckedStatement]:
    from reports.sentences.first_finding_selection import select_first_findings  # late for Django

    front, truths = select_first_findings(report, simulated.labels), []
    for one, is_near in zip(front.found, front.near_limit, strict=True):
        if isinstance(one, Rule):
            estimate, low, high, nothing = one.lift, one.lift_low_listed, one.lift_high_listed, 1.0
            true = true_lift(simulated, one.antecedent, one.consequent, disguised_only=one.disguised_only)
        elif isinstance(one, tuple):
            difference = one[1].front
            assert difference
            estimate, low, high, nothing = difference.difference, difference.low, difference.high, 0.0
            true = true_difference(simulated, difference.of_class, one[1].item)
        else:
            estimate, low, high, nothing, true = one.difference, one.low, one.high, 0.0, 0.0
        if estimate is None or (near := low if estimate > nothing else high) is None:
            continue
        sign = 1 if estimate > nothing else -1
        said = None if is_near else sign * (true - estimate) >= 0
        is_weak = sign * (true - nothing) < abs(estimate - near)
        truths.append(CheckedStatement(said, sign * (true - near) >= 0, is_weak))
    return truths


def intervals_hold(simulated: "SimulatedSurveys", report: Report) -> list[bool]:
    """Of each difference, confidence and hypothesis that stands on the front; of a pair's lift high may be None."""
    from reports.sentences.first_finding_selection import select_first_findings  # late for Django

    front = select_first_findings(report, simulated.labels)
    held = []
    for statement in front.found:
        if isinstance(statement, Rule):
            low, high = statement.confidence_low_listed, statement.confidence_high_listed
            alone = statement.disguised_only
            true = simulated.true_share(
                *statement.consequent, given=statement.antecedent, disguised_only=alone
            )
        elif isinstance(statement, tuple):
            difference = statement[1].front
            assert difference
            low, high = difference.low, difference.high
            true = true_difference(simulated, difference.of_class, statement[1].item)
        else:
            low, high, true = statement.low, statement.high, 0.0
        if low is not None and high is not None:
            held.append(low <= true <= high)
    for hypothesis in front.hypotheses:
        is_pair = hypothesis.kind == ASSOCIATION
        true = true_lift(simulated, hypothesis.antecedent, hypothesis.consequent) if is_pair else 0.0
        if hypothesis.low is not None:
            held.append(hypothesis.low <= true <= (inf if hypothesis.high is None else hypothesis.high))
    return held


def true_difference(simulated: "SimulatedSurveys", of_class: str, item: str) -> float:
    """The true share of an answer in a class minus its share among all others, of people who chose disguise."""
    (in_class, applies), (has, also) = simulated.answer_masks([of_class]), simulated.answer_masks([item])
    chosen = applies & also & (simulated.true_answers[0] == DISGUISED)
    return float(has[chosen & in_class].mean() - has[chosen & ~in_class].mean())


def true_lift(
    simulated: "SimulatedSurveys",
    first: Iterable[str],
    second: Iterable[str],
    *,
    disguised_only: bool = False,
) -> float:
    """The true lift of two sets of answers, among people to whom all their questions apply."""
    (has_first, applies), (has_second, also) = simulated.answer_masks(first), simulated.answer_masks(second)
    chosen = applies & also
    if disguised_only:
        chosen &= simulated.true_answers[0] == DISGUISED
    a, b = has_first[chosen], has_second[chosen]
    return float((a & b).mean() / a.mean() / b.mean())


HYPOTHESES = [
    {"name": "arms", "kind": "arms", "item": "s0=yes"},
    {"name": "pair", "kind": "association", "antecedent": ["s0=yes"], "consequent": ["s1=yes"]},
]
"""Where there are arms."""


def simulated_surveys(setting: Surveys | Shape, seed: int) -> "SimulatedSurveys":
    django_is_set_up()
    from intake.rehearsal.simulated_people import default_population  # late for Django
    from reports.simulated_reports.simulated_surveys import SimulatedSurveys  # late for Django

    if isinstance(setting, Shape):
        said = {"title": {"en": "Drawn"}, "least": 40, "open_answers": setting.open_answers}
        said |= {"understanding": True} if UNDERSTOOD in setting.sections else {}
        form = design(*setting.sections, **said)
        those = default_population(form, alike=setting.alike)
        return SimulatedSurveys(form, WANTED, setting.n, None, ABOUT, those, seed, setting.alike)
    asked = ({"name": f"p{number}", "choices": ["a", "b", "c"]} for number in range(setting.plain))
    secret = (question(f"s{number}", *HALF) for number in range(SENSITIVE))
    more = {"title": {"en": "Drawn"}, "least": 40, "open_answers": False}
    more |= {"direct": "0.5"} if setting.arms else {}
    form = design(plain(*asked), sensitive("0.7", *secret), **more)
    plan = {"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": HYPOTHESES}
    read_plan = parse_plan(json.dumps(plan)) if setting.arms else None
    return SimulatedSurveys(form, WANTED, setting.n, read_plan, ABOUT, people(setting), seed, setting.alike)


@cache
def django_is_set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # late for cost

    django.setup()


def people(setting: Surveys) -> Population:
    """Of the two classes, one has more of each first choice and of each secret."""
    laws = [((0.7, 0.2, 0.1), (0.4, 0.6)), ((0.5, 0.3, 0.2), (0.9, 0.1))]
    if setting.alike:
        laws = [((0.5, 0.3, 0.2), (0.75, 0.25))]
    first, *second = (Independent((open_,) * setting.plain + (secret,) * SENSITIVE) for open_, secret in laws)
    return Population(LatentClasses((0.3, 0.7), (first, *second)) if second else first)


MEASURES: Measures = {
    "sentences": (grid(Surveys, (300, 2_000, 20_000), (1, 6, 12), (False, True), (True, False)), fronts),
    "sentences-shapes": (lambda: SHAPES, fronts),
    "sentences-people": (lambda: [replace(shape, alike=False) for shape in SHAPES], fronts),
}
