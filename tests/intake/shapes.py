"""Strategies: designs of every shape, and records that a device could send."""

import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

from privacy.designs import Design, UnrelatedQuestionSection, parse


@st.composite
def designs(draw: st.DrawFn, least: int = 20) -> Design:
    """Up to three sections of up to four questions, with rules, rotation and up to twelve choices."""
    plain: dict[str, int] = {}
    sections: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["plain", "unrelated-question"]))
        questions: list[dict[str, Any]] = []
        for place in range(draw(st.integers(1, 4))):
            choices = draw(st.one_of(st.integers(2, 4), st.sampled_from([8, 9, 12])))
            question: dict[str, Any] = {
                "name": f"{number}.{place}",
                "choices": [f"{code}" for code in range(choices)],
            }
            ruled = draw(st.booleans())
            if plain and ruled:
                rule = draw(st.sampled_from(sorted(plain)))
                allowed = draw(st.sets(st.integers(0, plain[rule] - 1), min_size=1))
                question["show_if"] = {rule: [f"{code}" for code in sorted(allowed)]}
            questions.append(question)
            if kind == "plain":
                plain[question["name"]] = choices
        section: dict[str, Any] = {"kind": kind, "questions": questions}
        if kind != "plain":
            section |= {"keep": "0.5", "asked": draw(st.integers(1, len(questions)))}
        sections.append(section)
    whole = {"format": "candor-design/1", "open_answers": True, "least": least, "sections": sections}
    return parse(json.dumps(whole))


def any_codes(design: Design, rng: np.random.Generator) -> list[int]:
    """The codes of a possible record, drawn without regard to any law."""
    codes: list[int] = []
    for section in design.sections:
        asked = len(section.questions)
        if isinstance(section, UnrelatedQuestionSection):
            asked = section.asked
        drawn = set(rng.permutation(len(section.questions))[:asked].tolist())
        for place, question in enumerate(section.questions):
            if place not in drawn:
                codes.append(question.not_asked)
            elif not question.applies(codes):
                codes.append(question.not_applicable)
            else:
                codes.append(int(rng.integers(len(question.choices))))
    return codes
