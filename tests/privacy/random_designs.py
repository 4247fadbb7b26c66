"""Random designs with every kind of section, and codes of records that they can have."""

import json
from itertools import accumulate
from typing import Any

import numpy as np
from hypothesis import strategies as st

from privacy.designs import Design, Section, UnrelatedQuestionSection, parse_design
from privacy.kinds.number.classes.law import intervals
from privacy.kinds.number.classes.section import ClassesSection
from tests.privacy import questionnaires
from tests.privacy.strategies import bands

CLASSES, WINDOW, PLACE = "classes", "window", "place"


@st.composite
def designs(draw: st.DrawFn, least: int = 20, *, numbers: bool = False) -> Design:
    """Up to three sections of up to four questions, with rules, rotation and up to twelve choices; and numbers."""
    plain: dict[str, int] = {}
    sections: list[dict[str, Any]] = []
    kinds = ["plain", "unrelated-question", *([CLASSES, WINDOW, PLACE] if numbers else [])]
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(kinds))
        if kind == PLACE:
            sections.append(draw(place_sections(f"{number}.0", plain)))
            continue
        if kind in (CLASSES, WINDOW):
            sections.append(draw(number_sections(f"{number}.0", kind, plain)))
            continue
        questions: list[dict[str, Any]] = []
        for place in range(draw(st.integers(1, 4))):
            choices = draw(st.one_of(st.integers(2, 4), st.sampled_from([8, 9, 12])))
            names = [f"{code}" for code in range(choices)]
            question: dict[str, Any] = {"name": f"{number}.{place}", "choices": names}
            questions.append(question | draw(rules(plain)))
            if kind == "plain":
                questions[-1] |= bands(choices) if draw(st.booleans()) else {}
                plain[question["name"]] = choices
        section: dict[str, Any] = {"kind": kind, "questions": questions}
        if kind != "plain":
            section |= {"keep": "0.5", "asked": draw(st.integers(1, len(questions)))}
        sections.append(section)
    whole = {"format": "candor-design/1", "open_answers": True, "least": least, "sections": sections}
    return parse_design(json.dumps(whole))


@st.composite
def rules(draw: st.DrawFn, plain: dict[str, int]) -> dict[str, Any]:
    """Perhaps a rule on one of these questions, which have so many choices."""
    if not (bool(plain) and draw(st.booleans())):
        return {}
    rule = draw(st.sampled_from(sorted(plain)))
    allowed = draw(st.sets(st.integers(0, plain[rule] - 1), min_size=1))
    return {"show_if": {rule: [f"{code}" for code in sorted(allowed)]}}


@st.composite
def number_sections(draw: st.DrawFn, name: str, law: str, plain: dict[str, int]) -> dict[str, Any]:
    """A number whose codes take one byte or two, or that has one to four limits."""
    rule = draw(rules(plain))
    if law == WINDOW:
        question = {"name": name, "law": law} | rule
        values = draw(st.sampled_from([7, 254, 256, 1001]))
        question |= {"low": -3, "values": values, "window": 1, "uniform": "0.5"}
        return {"kind": "number", "questions": [question]}
    points = sorted(draw(st.lists(st.integers(-9, 9), min_size=2, max_size=5, unique=True)))
    rest = draw(st.integers(0, 10)) if max(np.diff(points)) > 1 else 0
    cuts = draw(st.integers(1, len(points) - 1))
    return questionnaires.classes(name, "0.6", *points, cuts=cuts, rest=rest, **rule)


@st.composite
def place_sections(draw: st.DrawFn, name: str, plain: dict[str, int]) -> dict[str, Any]:
    """A place whose codes take one byte or two; one to three regions of two to four cells, perhaps cells outside."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    ends = [0, *accumulate(sizes)]
    regions = {f"r{at}": list(range(*ends[at : at + 2])) for at in range(len(sizes))}
    cells = sum(sizes) + draw(st.sampled_from([0, 1, 5, 300]))
    near = draw(st.integers(1, 2))
    return questionnaires.place_in_row(name, regions, cells, near, "8", **draw(rules(plain)))


def any_codes(design: Design, rng: np.random.Generator, group: int | None = None) -> list[int]:
    """The codes of a possible record, of this group where one is named, drawn without regard to any law."""
    codes: list[int] = []
    for section in design.sections:
        asked = section.asked if isinstance(section, UnrelatedQuestionSection) else len(section.questions)
        drawn = set(rng.permutation(len(section.questions))[:asked].tolist())
        for place, question in enumerate(section.questions):
            if place not in drawn:
                codes.append(question.not_asked)
            elif not question.applies(codes):
                codes.append(question.not_applicable)
            else:
                foreign = set() if group is None else set(question.codes_never_sent(group == 0))
                own = [code for code in sent_codes(section, question.codes) if code not in foreign]
                codes.append(int(rng.choice(own)))
    return codes


def sent_codes(section: Section, codes: int) -> list[int]:
    """The codes that a device may send: of a number by classes not every interval."""
    if not isinstance(section, ClassesSection):
        return list(range(codes))
    found, draws = intervals(section.question.classes), section.law.count_draws_with_class
    sent = [code for code, (a, z) in enumerate(found) if draws(a, z) or z - a == 1]
    return [*sent, *range(len(found), codes)]
