"""Small random questionnaires, and records of random people who answered them."""

import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mining.counts import Item
from privacy.designs import parse
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.counting.by_hand import mined
from tests.mining.listed import Listed
from tests.privacy.questionnaires import classes, place_in_row


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
