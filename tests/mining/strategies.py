"""Small random questionnaires, and records of random people who answered them."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mining.counting import MinedRecords
from mining.queries_and_counters import Item
from privacy.designs import Design, parse
from privacy.kinds.code_arrays import Codes
from privacy.records import DISGUISED, OPEN
from privacy.records.packed_bit_columns import columns_from_bytes, pack_batch
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from tests.mining.counting.by_hand import mined
from tests.mining.listed import Listed
from tests.privacy.questionnaires import classes, place_in_row
from tests.privacy.strategies import bands, noise_laws


@st.composite
def questionnaires(
    draw: st.DrawFn, most_questions: int = 3, most_sections: int = 3, *, numbers: bool = False
) -> dict[str, Any]:
    """Sections plain and sensitive, rotating or not, choices, rules that hide; keep is never tiny. Perhaps a number
    and a place."""
    plain: list[tuple[str, int]] = []
    sections: list[dict[str, Any]] = []
    names = iter(f"q{number}" for number in range(99))
    for _ in range(draw(st.integers(1, most_sections))):
        is_plain = draw(st.booleans()) and len(sections) + 1 < most_sections
        questions: list[dict[str, Any]] = []
        for _ in range(draw(st.integers(1, 2 if is_plain else most_questions))):
            choices = draw(st.integers(2, 3))
            question: dict[str, Any] = {"name": next(names), "choices": [f"c{at}" for at in range(choices)]}
            if bool(plain) and draw(st.booleans()):
                name, of = draw(st.sampled_from(plain))
                question["show_if"] = {name: [f"c{at}" for at in range(draw(st.integers(1, of - 1)))]}
            if not is_plain:
                parts = draw(st.lists(st.integers(1, 9), min_size=choices, max_size=choices))
                noise = [part * 10_000 // sum(parts) for part in parts]
                noise[0] += 10_000 - sum(noise)
                question["noise"] = [f"0.{part:04d}" for part in noise]
            questions.append(question)
        if is_plain:
            plain += [(question["name"], len(question["choices"])) for question in questions]
            sections.append({"kind": "plain", "questions": questions})
        else:
            keep = f"0.{draw(st.integers(20, 95))}"
            asked = draw(st.integers(1, len(questions)))
            sections.append(
                {"kind": "unrelated-question", "keep": keep, "asked": asked, "questions": questions}
            )
    if numbers and draw(st.booleans()):
        rule = {plain[0][0]: ["c0"]} if bool(plain) and draw(st.booleans()) else {}
        points = sorted(draw(st.sets(st.integers(-5, 5), min_size=3, max_size=4)))
        cuts = draw(st.integers(1, len(points) - 1))
        sections.append(classes("n", f"0.{draw(st.integers(20, 95))}", *points, cuts=cuts, show_if=rule))
    if numbers and draw(st.booleans()):
        rule = {plain[0][0]: ["c0"]} if bool(plain) and draw(st.booleans()) else {}
        regions = {"north": [0, 1], "south": [2, 3, 4]}
        sections.append(place_in_row("p", regions, draw(st.sampled_from([5, 7])), 2, "6", show_if=rule))
    return {"format": "candor-design/1", "open_answers": True, "sections": sections}


@st.composite
def answered(draw: st.DrawFn, records: int = 400) -> Listed:
    """Records of a random questionnaire, as mining sees them; those who answer openly are other people."""
    design = parse(json.dumps(draw(questionnaires(numbers=True))))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    laws = [
        Independent(tuple(tuple(rng.dirichlet(np.ones(q.true_codes))) for q in design.questions))
        for _ in range(2)
    ]
    people = Population(laws[0], laws[1], draw(st.sampled_from([0.0, 0.3, 1.0])))
    group, truth = people.draw(design, records, rng)
    codes = disguise(design, group, truth, rng)
    as_mined = np.array([mined(design, record) for record in codes.T.tolist()]).T
    return Listed(design.mined, group, as_mined, withheld=draw(st.booleans()))


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
        return columns_from_bytes(
            self.design, pack_batch(self.design, self.group[chosen], self.codes[:, chosen])
        )


def survey_answered(design: Design, n: int, open_share: float, seed: int) -> Answered:
    """By two kinds of people, who also differ in how many of them answer openly."""
    rng = np.random.default_rng(seed)
    kinds = [
        Independent(tuple(tuple(rng.dirichlet(np.ones(q.true_codes))) for q in design.questions))
        for _ in range(3)
    ]
    everybody = Population(LatentClasses((2.0, 1.0), (kinds[0], kinds[1])), kinds[2], open_share)
    group, truth = everybody.draw(design, n, rng)
    return Answered(design, group, truth, disguise(design, group, truth, rng))


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """One to three sections, most of them sensitive: rotating or not, rules that hide, numbers and places."""
    numbers = iter(range(20))
    rules: dict[str, list[str]] = {}
    sections: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 5)) == 5:
            sections.append(draw(place_sections(f"q{next(numbers)}", rules)))
            continue
        if draw(st.integers(0, 3)) == 3:
            sections.append(draw(number_sections(f"q{next(numbers)}", rules)))
            continue
        is_plain = draw(st.sampled_from([True, False, False]))
        questions = [
            draw(one_question(f"q{next(numbers)}", rules))
            for _ in range(draw(st.integers(1, 2 if is_plain else 4)))
        ]
        section: dict[str, Any] = {"kind": "plain", "questions": questions}
        if is_plain:
            for question in questions:
                if draw(st.booleans()):
                    question.update(bands(len(question["choices"])))
            rules |= {question["name"]: question["choices"] for question in questions}
        else:
            for question in questions:
                question["noise"] = draw(noise_laws(len(question["choices"])))
            keep = draw(st.sampled_from(["0.2", "0.5", "0.9"]))
            asked = draw(st.integers(max(1, len(questions) - 2), len(questions)))
            section |= {"kind": "unrelated-question", "keep": keep, "asked": asked}
        sections.append(section)
    return parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": sections}))


@st.composite
def one_question(draw: st.DrawFn, name: str, rules: dict[str, list[str]]) -> dict[str, Any]:
    choices = draw(st.sampled_from([["no", "yes"], ["no", "yes"], ["a", "b"], ["a", "b", "c"]]))
    question: dict[str, Any] = {"name": name, "choices": choices}
    if bool(rules) and draw(st.booleans()):
        rule = draw(st.sampled_from(sorted(rules)))
        question["show_if"] = {rule: rules[rule][1:]}
    return question


@st.composite
def number_sections(draw: st.DrawFn, name: str, rules: dict[str, list[str]]) -> dict[str, Any]:
    question: dict[str, Any] = {"name": name}
    if bool(rules) and draw(st.booleans()):
        rule = draw(st.sampled_from(sorted(rules)))
        question["show_if"] = {rule: rules[rule][1:]}
    law = {"law": "window", "values": 7, "window": 1, "uniform": "0.5"}
    return {"kind": "number", "questions": [question | law]}


@st.composite
def place_sections(draw: st.DrawFn, name: str, rules: dict[str, list[str]]) -> dict[str, Any]:
    show_if = {}
    if bool(rules) and draw(st.booleans()):
        rule = draw(st.sampled_from(sorted(rules)))
        show_if = {rule: rules[rule][1:]}
    cells, odds = draw(st.sampled_from([5, 6, 8])), draw(st.sampled_from(["3", "20"]))
    return place_in_row(name, {"north": [0, 1], "south": [2, 3, 4]}, cells, 2, odds, show_if=show_if)


@st.composite
def surveys(draw: st.DrawFn) -> Answered:
    n = draw(st.sampled_from([60, 300, 1000]))
    open_share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    return survey_answered(draw(designs()), n, open_share, draw(st.integers(0, 2**32)))
