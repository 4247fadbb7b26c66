"""Random questionnaires and the records of random people; surveys of a number drawn from exact laws; a small study."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from mining.counting import MinedRecords
from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import Counts
from mining.nodes.number_nodes import QuantileStatement
from mining.queries_and_counters import Item
from mining.studies.answer_counts_by_plain_pattern import PatternScores, scores_from_counts
from mining.studies.single_answer_score_moments import AnswerLaw
from privacy.designs import Design, parse_design
from privacy.kinds.answer_code_array_type import Codes
from privacy.kinds.number.window.law import WindowLaw
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from proof.record_probabilities import classes_law
from tests.mining.listed import Listed, as_mined, pack, vector_file
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    UNDERSTOOD,
    WORK,
    classes,
    crosswise,
    design,
    make_design,
    place_in_row,
    plain,
    question,
    sensitive,
    window,
)
from tests.privacy.strategies import bands, noise_laws

REGIONS = {"north": [0, 1], "south": [2, 3, 4]}


@st.composite
def questionnaires(
    draw: st.DrawFn, most_questions: int = 3, most_sections: int = 3, *, numbers: bool = False
) -> dict[str, Any]:
    """Sections plain and sensitive, rotating or not, choices, rules that hide; keep is never tiny. Perhaps a number
    and a place."""
    plain_ones: list[tuple[str, int]] = []
    sections: list[dict[str, Any]] = []
    names = iter(f"q{number}" for number in range(99))
    for _ in range(draw(st.integers(1, most_sections))):
        is_plain = draw(st.booleans()) and len(sections) + 1 < most_sections
        questions: list[dict[str, Any]] = []
        for _ in range(draw(st.integers(1, 2 if is_plain else most_questions))):
            choices = draw(st.integers(2, 3))
            asked: dict[str, Any] = {"name": next(names), "choices": [f"c{at}" for at in range(choices)]}
            if bool(plain_ones) and draw(st.booleans()):
                name, of = draw(st.sampled_from(plain_ones))
                asked["show_if"] = {name: [f"c{at}" for at in range(draw(st.integers(1, of - 1)))]}
            if not is_plain:
                parts = draw(st.lists(st.integers(1, 9), min_size=choices, max_size=choices))
                noise = [part * 10_000 // sum(parts) for part in parts]
                noise[0] += 10_000 - sum(noise)
                asked["noise"] = [f"0.{part:04d}" for part in noise]
            questions.append(asked)
        if is_plain:
            plain_ones += [(one["name"], len(one["choices"])) for one in questions]
            sections.append(plain(*questions))
        else:
            keep = f"0.{draw(st.integers(20, 95))}"
            sections.append(sensitive(keep, *questions, asked=draw(st.integers(1, len(questions)))))
    first = {plain_ones[0][0]: ["c0"]} if plain_ones else {}
    if numbers and draw(st.booleans()):
        points = sorted(draw(st.sets(st.integers(-5, 5), min_size=3, max_size=4)))
        keep, cuts = f"0.{draw(st.integers(20, 95))}", draw(st.integers(1, len(points) - 1))
        sections.append(classes("n", keep, *points, cuts=cuts, show_if=first if draw(st.booleans()) else {}))
    if numbers and draw(st.booleans()):
        cells, rule = draw(st.sampled_from([5, 7])), first if draw(st.booleans()) else {}
        sections.append(place_in_row("p", REGIONS, cells, 2, "6", show_if=rule))
    return make_design(*sections)


@st.composite
def answered_surveys(draw: st.DrawFn, records: int = 400) -> Listed:
    """Records of a random questionnaire, as mining sees them; those who answer openly are other people."""
    design = parse_design(json.dumps(draw(questionnaires(numbers=True))))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    people = Population(any_law(design, rng), any_law(design, rng), draw(st.sampled_from([0.0, 0.3, 1.0])))
    group, truth = people.draw(design, records, rng)
    codes = disguise(design, group, truth, rng)
    return Listed(design.mined, group, as_mined(design, codes), withheld=draw(st.booleans()))


def any_law(design: Design, rng: np.random.Generator) -> Independent:
    return Independent(tuple(tuple(rng.dirichlet(np.ones(q.true_codes))) for q in design.questions))


@st.composite
def itemsets_of(draw: st.DrawFn, listed: Listed, most: int = 4, least: int = 1) -> tuple[Item, ...]:
    """Items of so many different questions, none of scores."""
    questions = listed.design.questions
    counted = [place for place, question in enumerate(questions) if not question.scored]
    size = draw(st.integers(min(least, len(counted)), min(most, len(counted))))
    places = sorted(draw(st.permutations(counted))[:size])
    return tuple((place, draw(st.integers(0, len(questions[place].choices) - 1))) for place in places)


# Surveys that were answered: random designs, correlated answers, disguised records, withheld or told.


@dataclass(frozen=True)
class Answered:
    design: Design
    group: np.ndarray
    truth: Codes
    codes: Codes

    def records(self, *, withhold: bool = False) -> MinedRecords:
        """In two batches; `withhold`: open records do not tell their plain answers."""
        if not withhold:
            half = len(self.group) // 2
            both = [self._packed(slice(half)), self._packed(slice(half, None))]
            return MinedRecords(self.design.mined, both)
        told = [self._packed(self.group == DISGUISED)]
        return MinedRecords(self.design.mined, told, [self._packed(self.group == OPEN)])

    def _packed(self, chosen: Any) -> Any:
        return pack(self.design, self.group[chosen], self.codes[:, chosen])


def survey_answered(design: Design, n: int, open_share: float, seed: int) -> Answered:
    """By two kinds of people, who also differ in how many of them answer openly."""
    rng = np.random.default_rng(seed)
    one, other, opened = (any_law(design, rng) for _ in range(3))
    everybody = Population(LatentClasses((2.0, 1.0), (one, other)), opened, open_share)
    group, truth = everybody.draw(design, n, rng)
    return Answered(design, group, truth, disguise(design, group, truth, rng))


Rules = dict[str, list[str]]
"""The choices of each plain question so far."""


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """One to three sections, most of them sensitive: rotating or not, rules that hide, numbers and places."""
    names = iter(f"q{number}" for number in range(20))
    rules: Rules = {}
    sections: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["place", "number", "plain", *["sensitive"] * 3]))
        if kind == "place":
            cells, odds = draw(st.sampled_from([5, 6, 8])), draw(st.sampled_from(["3", "20"]))
            sections.append(place_in_row(next(names), REGIONS, cells, 2, odds, **draw(shown_by(rules))))
        elif kind == "number":
            sections.append(window(next(names), 7, 1, **draw(shown_by(rules))))
        elif kind == "plain":
            questions = [draw(one_question(next(names), rules)) for _ in range(draw(st.integers(1, 2)))]
            for asked in questions:
                asked.update(bands(len(asked["choices"])) if draw(st.booleans()) else {})
            rules |= {asked["name"]: asked["choices"] for asked in questions}
            sections.append(plain(*questions))
        else:
            questions = [draw(one_question(next(names), rules)) for _ in range(draw(st.integers(1, 4)))]
            for asked in questions:
                asked["noise"] = draw(noise_laws(len(asked["choices"])))
            least = draw(st.integers(max(1, len(questions) - 2), len(questions)))
            sections.append(sensitive(draw(st.sampled_from(["0.2", "0.5", "0.9"])), *questions, asked=least))
    return parse_design(json.dumps(make_design(*sections)))


@st.composite
def one_question(draw: st.DrawFn, name: str, rules: Rules) -> dict[str, Any]:
    choices = draw(st.sampled_from([["no", "yes"], ["no", "yes"], ["a", "b"], ["a", "b", "c"]]))
    return {"name": name, "choices": choices, **draw(shown_by(rules))}


def shown_by(rules: Rules) -> st.SearchStrategy[dict[str, Any]]:
    """No rule, or one that hides the question from those with the first choice of another."""
    some = [{"show_if": {of: rules[of][1:]}} for of in sorted(rules)]
    return st.sampled_from([{}] * max(len(rules), 1) + some)


@st.composite
def surveys(draw: st.DrawFn) -> Answered:
    n = draw(st.sampled_from([60, 300, 1000]))
    open_share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    return survey_answered(draw(designs()), n, open_share, draw(st.integers(0, 2**32)))


@dataclass(frozen=True)
class People:
    """Shares of the numbers 0.. in each group, and the share of those who answer openly."""

    opened: Floats
    disguised: Floats
    open_share: float

    @classmethod
    def with_reversed_open_answers(cls, shape: Floats, open_share: float) -> "People":
        """The open answerers have the distribution turned round."""
        shares = shape / shape.sum()
        return cls(shares[::-1], shares, open_share)

    @cached_property
    def everybody(self) -> Floats:
        return np.asarray(self.open_share * self.opened + (1 - self.open_share) * self.disguised)

    @cached_property
    def cumulative(self) -> Floats:
        return np.cumsum(self.everybody)

    def draw(
        self, opened: Floats, disguised: Floats, n: int, surveys: int, rng: np.random.Generator
    ) -> Counts:
        """Records by survey, group and code, from the chances of the codes within each group."""
        chances = np.concatenate([self.open_share * opened, (1 - self.open_share) * disguised])
        return rng.multinomial(n, chances / chances.sum(), surveys).reshape(surveys, 2, -1)


@dataclass(frozen=True)
class ByClasses:
    """The numbers are 0, 1, 2, ..; the law is that of `proof.record_probabilities`, from the JSON of the section."""

    people: People
    section: Mapping[str, Any]

    @cached_property
    def class_numbers_of_people(self) -> Floats:
        return np.arange(len(self.people.opened), dtype=np.float64)

    @property
    def mean(self) -> float:
        return float(self.class_numbers_of_people @ self.people.everybody)

    def draw(self, n: int, surveys: int, rng: np.random.Generator) -> Counts:
        """By survey, group and code."""
        of_groups = (self.people.opened, self.people.disguised)
        opened, disguised = (shares @ self._law(group) for group, shares in enumerate(of_groups))
        return self.people.draw(opened, disguised, n, surveys, rng)

    def _law(self, group: int) -> Floats:
        (question,) = self.section["questions"]
        rows = [
            classes_law(dict(self.section), question, group, x)
            for x in range(len(self.class_numbers_of_people))
        ]
        return np.array(rows, np.float64)

    def is_true(self, said: QuantileStatement) -> bool:
        """The quantile is the smallest number that at least q do not exceed."""
        reached = self.people.cumulative >= said.q - 1e-12
        quantile = self.class_numbers_of_people[np.argmax(reached)]
        is_above = said.at_least is None or quantile >= said.at_least
        return is_above and (said.below is None or quantile < said.below)


@dataclass(frozen=True)
class ByWindow:
    people: People
    law: WindowLaw

    def draw(self, n: int, surveys: int, rng: np.random.Generator) -> Counts:
        """By survey, group and value."""
        law = self.law
        near = np.zeros(law.values)
        near[np.arange(-law.half, law.half + 1)] = 1 / (2 * law.half + 1)
        moved = circular(near, self.people.disguised)
        u = 1 - law.uniform_parts / 10_000
        return self.people.draw(self.people.opened, u * moved + (1 - u) / law.values, n, surveys, rng)

    def blurred(self, modes: int) -> Floats:
        """The distribution of everybody, blurred by the Fejer kernel: a square of a Dirichlet sum."""
        place = np.arange(self.law.values)
        waves = np.exp(2j * np.pi * np.outer(place, np.arange(modes + 1)) / self.law.values).sum(axis=1)
        return circular(np.abs(waves) ** 2 / ((modes + 1) * self.law.values), self.people.everybody)


def circular(kernel: Floats, shares: Floats) -> Floats:
    """By y the sum over x of kernel(y - x) shares(x)."""
    apart = np.arange(len(shares))
    return np.asarray(kernel[apart[:, None] - apart] @ shares)


def distribution_shapes(values: int) -> dict[str, Floats]:
    """A hill, one number that a third have, a block with empty numbers around it."""
    place = np.arange(values) / values
    return {
        "smooth": np.exp(-(((place - 0.3) / 0.15) ** 2)),
        "spike": np.where(np.arange(values) == values // 8, values / 2, 1.0),
        "block": np.where((place > 0.55) & (place < 0.75), 1.0, 0.0),
    }


def coverage_of(low: Floats, high: Floats, truth: Floats | float) -> Floats:
    """By cell, in how many of the surveys (the first axis) the interval holds the truth."""
    return np.asarray(((low <= truth) & (truth <= high)).mean(axis=0))


AGE = {"name": "age", "choices": ["18-39", "40-59", "60+"], "form": "scale"}
SEX = {"name": "sex", "choices": ["f", "m"]}
YEARS = {"name": "years", "choices": ["few", "some", "many"], **IF_EMPLOYED}

ASKED = question("theft", *HALF), question("sick", *HALF, **IF_EMPLOYED), question("drugs", *HALF)
STUDY = design(plain(AGE, SEX, WORK, YEARS), sensitive("0.6923", *ASKED, asked=2))
CHECKED = design(
    plain(WORK),
    sensitive("0.5", question("theft", *HALF)),
    crosswise("lie", "0.25", secret={"en": "?"}, **IF_EMPLOYED),
    UNDERSTOOD,
    understanding=True,
)
"""With a check of understanding."""
LAW = AnswerLaw(0.6923, (1 - 0.6923) * 0.5)


def pattern_scores(records: list[int], having: list[int], law: AnswerLaw = LAW) -> PatternScores:
    """Of patterns that the item always applies to."""
    n, yes = np.array(records), np.array(having)
    counts: NDArray[np.int64] = np.stack([n - yes, yes, 0 * yes], axis=1)
    return scores_from_counts(counts, law)


# Numbers worked out elsewhere for the formulas of docs/mathematics.md, Studies.

REFERENCE = Path(__file__).with_name("studies") / "reference.json"
"""Made by reference.R beside it, which says with which packages."""


def vectors(formula: str) -> list[dict[str, Any]]:
    found = [vector for vector in vector_file("studies")["vectors"] if vector["formula"] == formula]
    assert found, formula
    return found


def reference_settings() -> list[dict[str, Any]]:
    """Counts by age and sex with the shares and coefficients that other people's methods give."""
    settings: list[dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))["settings"]
    return settings
