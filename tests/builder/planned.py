"""A draft with arms, and hypotheses of every kind about it, as they stand and as the page sends them."""

import re
from typing import Any

from django.test import Client

from builder.editing.save_edit import load_questionnaire
from builder.editing.separately_saved_parts import part_digest
from privacy import designs
from surveys.draft_json import Draft
from surveys.lifecycle.freeze_draft import design_json_from_draft
from surveys.models import Survey
from surveys.questionnaire import hypotheses
from surveys.questionnaire.hypotheses import HypothesisSubjects
from surveys.study.hypothesis_editing import NewHypothesisPart
from tests.builder.written import drawn, plain, question, sensitive, stored

SALT = "0123456789abcdef" * 2
SHARE = {"kind": "share", "item": "theft=yes", "than": "0.1000"}
EVERY: list[dict[str, Any]] = [
    SHARE,
    {"kind": "arms", "item": "theft=yes"},
    {"kind": "version", "item": "theft=yes", "by": "wording"},
    {"kind": "association", "antecedent": ["age=b"], "consequent": ["theft=yes"]},
    {
        "kind": "coefficient",
        "item": "theft=yes",
        "model": "logit",
        "covariates": ["age", "arm"],
        "of": "age=b",
    },
]


def study(**more: Any) -> Draft:
    scale = {**question("mood", "1", "2", "3"), "form": "scale"}
    return stored(
        plain(question("age"), drawn("wording", "x", "y"), scale),
        sensitive({**question("theft", "no", "yes"), "form": "yes-no"}),
        **{"direct": "0.5000", "open_answers": False, "expected": 2000, **more},
    )


def planned(draft: Draft, *given: dict[str, Any]) -> Draft:
    plan = draft.get(hypotheses.KEY, {})
    for each in given:
        plan = hypotheses.add_hypothesis(plan, each, SALT)
    return {**draft, hypotheses.KEY: plan}


def subjects(draft: Draft) -> HypothesisSubjects:
    return HypothesisSubjects(designs.parse(design_json_from_draft(draft)))


def page_of(client: Client, survey: Survey, kind: str = "") -> str:
    return client.get(f"/app/surveys/{survey.pk}/edit/study", {"hypothesis": kind}).content.decode()


def add(client: Client, survey: Survey, kind: str, **sent: Any) -> Any:
    survey.refresh_from_db()
    base = part_digest(NewHypothesisPart(kind), load_questionnaire(survey))
    return client.post(
        f"/app/surveys/{survey.pk}/edit/study/save", {"part": f"hypothesis-{kind}", "base": base, **sent}
    )


def kept(survey: Survey) -> list[dict[str, Any]]:
    survey.refresh_from_db()
    return [
        {key: value for key, value in each.items() if key != "name"}
        for each in hypotheses.drafted_hypotheses(survey.draft.get(hypotheses.KEY))
    ]


def options_of(page: str, name: str) -> list[str]:
    """The values that a list of the page offers."""
    start = page.index(f'<select name="{name}"')
    return re.findall(r'<option value="([^"]+)"', page[start : page.index("</select>", start)])


SENT: dict[str, dict[str, Any]] = {
    "share": {"item": "theft=yes", "than": "10"},
    "arms": {"item": "theft=yes"},
    "version": {"item": "theft=yes", "by": "wording"},
    "association": {"first": "age=b", "also": "", "second": "theft=yes"},
    "coefficient": {"item": "theft=yes", "model": "logit", "covariates": ["age", "arm"], "of": "age=b"},
}
PRODUCT = {
    "kind": "coefficient",
    "item": "theft=yes",
    "model": "linear",
    "covariates": ["age", "mood", "arm", "age*mood", "mood*arm"],
    "of": "age=b*mood",
}
SENT_PRODUCT = {
    "item": "theft=yes",
    "model": "linear",
    "covariates": ["age", "mood", "arm"],
    "product1_first": "mood",
    "product1_second": "age",
    "product2_first": "mood",
    "product2_second": "arm",
    "product3_first": "age",
    "product3_second": "mood",
    "of": "age=b*mood",
}
"""Says one product twice, once in the other order."""
