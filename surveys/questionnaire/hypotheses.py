"""Hypotheses of a survey: drafted with the questionnaire, and frozen into a plan when it opens.

A draft stores them under the key `plan` as candor-plan/1 (privacy.designs.hypothesis_plan); a design stores only the
SHA-256. The random salt is made with the first hypothesis and then kept, so that the survey opens with the fingerprint
that a reviewer approved.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any

from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import (
    ARM,
    FORMAT,
    MOST_COEFFICIENTS,
    MOST_PATTERNS,
    SALT,
    TIMES,
    Plan,
    check_plan,
    distinct_names_in_covariates,
    parse_plan,
)
from privacy.designs.repeated_questions import reported_changes
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.question import DRAWN
from surveys.questionnaire.questionnaire import Questionnaire

KEY = "plan"
SCALE = "scale"
Node = dict[str, Any]


def random_salt() -> str:
    """Returns a random salt for a plan's hash, so that nobody can find the plan by guessing."""
    return secrets.token_hex(16)


def drafted_hypotheses(plan: object) -> list[Node]:
    """Returns the hypotheses of a drafted plan, unchecked; empty if `plan` is not a plan."""
    hypotheses: list[Node] = plan.get("hypotheses", []) if isinstance(plan, Mapping) else []
    return hypotheses


def plans_share_under_quotas(draft: Questionnaire) -> bool:
    """Returns True if a hypothesis states a share, and quotas end the survey for some people who come.

    The share is then of those asked, and nothing weights it.
    """
    return bool(draft.quotas) and any(one.get("kind") == "share" for one in drafted_hypotheses(draft.plan))


def read_plan(drafted_plan: object) -> Plan | None:
    """Parses a drafted plan; returns None without hypotheses, raises `InputError` if it is invalid."""
    return parse_plan(json.dumps(drafted_plan)) if drafted_hypotheses(drafted_plan) else None


def plan_fingerprint(drafted_plan: object) -> str:
    """Returns the SHA-256 of a drafted plan; empty if it has no hypotheses or is invalid."""
    try:
        plan = read_plan(drafted_plan)
    except InputError:
        return ""
    return plan.fingerprint if plan else ""


def plan_in_normal_form(given: object) -> Node:
    """Returns a drafted plan with only those hypotheses that can be parsed; empty if there are none."""
    if not isinstance(given, Mapping) or not isinstance(given.get("hypotheses"), list):
        return {}
    salt = given.get("salt")
    if not isinstance(salt, str) or SALT.fullmatch(salt) is None:
        return {}
    plan, kept = {"format": FORMAT, "salt": salt}, {}
    for node in given["hypotheses"]:
        with suppress(InputError):
            hypothesis = parse_plan(json.dumps({**plan, "hypotheses": [node]})).hypotheses[0]
            name, kind = hypothesis.name, hypothesis.kind
            kept[name] = {"name": name, "kind": kind, **hypothesis.as_json()}
    return {**plan, "hypotheses": list(kept.values())} if kept else {}


def add_hypothesis(plan: Mapping[str, Any], hypothesis: Node, salt: str) -> Node:
    """Adds a hypothesis under an unused name; `salt` is stored with the first hypothesis."""
    earlier = drafted_hypotheses(plan)
    used_names = {drafted["name"] for drafted in earlier}
    name = next(name for number in range(1, len(earlier) + 2) if (name := f"H{number}") not in used_names)
    return {"format": FORMAT, "salt": salt, **plan, "hypotheses": [*earlier, {"name": name, **hypothesis}]}


def replace_hypothesis(plan: Mapping[str, Any], name: str, hypothesis: Node) -> Node:
    """Replaces the hypothesis with this name; the new one gets the name."""
    changed = {"name": name, **hypothesis}
    earlier = drafted_hypotheses(plan)
    return {**plan, "hypotheses": [changed if drafted["name"] == name else drafted for drafted in earlier]}


def remove_hypothesis(plan: Mapping[str, Any], name: str) -> Node:
    """Removes the hypothesis with this name; returns an empty plan after the last removal."""
    kept = [drafted for drafted in drafted_hypotheses(plan) if drafted["name"] != name]
    return {**plan, "hypotheses": kept} if kept else {}


def plan_for_copy(plan: object, salt: str) -> Node:
    """Returns the plan for a copy of the survey, with a new salt so that its hash does not reveal the old plan; empty
    without hypotheses."""
    return {**plan, "salt": salt} if isinstance(plan, Mapping) and drafted_hypotheses(plan) else {}


class HypothesisSubjects:
    """Lists what hypotheses can be about in this design: items, drawn versions, covariates.

    Items are answers of questions that people answer; of a yes/no question only *yes*. `versions` are drawn
    questions with two choices. `changes` are the items that the design followed by this one, `earlier`, asked alike.
    `covariates` maps each variable that a regression model can contain to the names of its coefficients. `kinds` maps
    each kind of hypothesis to whether this design allows it.
    """

    def __init__(self, design: Design, earlier: Design | None = None) -> None:
        self.design, self.earlier = design, earlier
        self.sensitive_items: list[str] = []
        self.plain_items: list[str] = []
        for section, mined in zip(design.sections, design.mined.sections, strict=True):
            items = self.sensitive_items if section.sensitive else self.plain_items
            for question in mined.questions:
                if question.form != DRAWN and (names := question.code_names):
                    items += [f"{question.name}={names[code]}" for code in question.listed_codes]
        self.items = [*self.sensitive_items, *self.plain_items]
        drawn_questions = [question for question in design.questions if question.form == DRAWN]
        self.versions = [question.name for question in drawn_questions if len(question.choices) == 2]
        compared = reported_changes(earlier.mined, design.mined) if earlier else []
        names_of = [question.code_names for question in design.mined.questions]
        self.changes = [
            f"{design.questions[index].name}={names_of[index][code]}" for _before, (index, code) in compared
        ]
        self.covariates: dict[str, list[str]] = {}
        for section in design.sections:
            for question in () if section.sensitive else section.questions:
                if len(question.choices) > 1:
                    # One for each choice but the first; of a scale, also that of the number of its choice.
                    choices = [f"{question.name}={name}" for name in question.code_names[1:]]
                    scale = [question.name] if question.form == SCALE else []
                    self.covariates[question.name] = [*scale, *choices]
        if design.has_arms:
            self.covariates[ARM] = [ARM]
        self.kinds = {
            "share": bool(self.items),
            "arms": bool(self.sensitive_items) and design.has_arms,
            "version": bool(self.items and self.versions),
            "change": bool(self.changes),
            "association": len({item.partition("=")[0] for item in self.items}) > 1,
            "coefficient": bool(self.sensitive_items and self.covariates),
        }

    def coefficients_of_covariates(self, covariates: Sequence[str]) -> dict[str, list[str]]:
        """Returns the names of coefficients for each covariate or product; an empty list if a model cannot
        contain it."""
        order = distinct_names_in_covariates(covariates)
        if self.design.has_arms:
            # As the model is computed: the arm stands behind the questions.
            order.sort(key=lambda name: name == ARM)
        coefficients: dict[str, list[str]] = {covariate: [] for covariate in covariates}
        for covariate in covariates:
            sides = covariate.split(TIMES)
            if len(sides) > 2 or len(set(sides)) < len(sides) or not self.covariates.keys() >= set(sides):
                continue
            names = [self.covariates[side] for side in sorted(sides, key=order.index)]
            coefficients[covariate] = [TIMES.join(factors) for factors in product(*names)]
        return coefficients


def check_hypotheses(plan: Plan, subjects: HypothesisSubjects) -> None:
    """Raises `InputError`, with the index of the hypothesis, if the design of `subjects` cannot test the plan."""
    check_plan(plan, subjects.design, subjects.earlier)
    for index, hypothesis in enumerate(plan.hypotheses):
        check_hypothesis(f"hypotheses[{index}]", hypothesis.as_json() | {"kind": hypothesis.kind}, subjects)


def check_hypothesis(path: str, hypothesis: Node, subjects: HypothesisSubjects) -> None:
    """Raises `InputError` at `path` if the hypothesis cannot be tested with what the design asks (`subjects`)."""
    kind = hypothesis["kind"]
    if kind == "arms" and not subjects.design.has_arms:
        raise InputError(path, _("nobody is asked directly any more: delete it, or ask a share directly"))
    if kind in ("arms", "coefficient") and hypothesis["item"] in subjects.plain_items:
        reason = _("%(item)s is not disguised: delete it, and name a sensitive answer")
        raise InputError(path, reason, item=quote_value(hypothesis["item"]))
    if kind == "version" and hypothesis["by"] not in subjects.versions:
        reason = _("%(name)s is not drawn from two versions any more: delete it")
        raise InputError(path, reason, name=quote_value(hypothesis["by"]))
    if kind == "coefficient":
        coefficients_by_covariate = subjects.coefficients_of_covariates(hypothesis["covariates"])
        for name, coefficients in coefficients_by_covariate.items():
            if not coefficients:
                reason = _("%(name)s cannot be a covariate any more: edit or delete it")
                raise InputError(path, reason, name=quote_value(name))
        if not any(hypothesis["of"] in coefficients for coefficients in coefficients_by_covariate.values()):
            reason = _("the model has no coefficient %(name)s any more: delete it")
            raise InputError(path, reason, name=quote_value(hypothesis["of"]))
        _check_model_size(path, hypothesis, subjects)


def _check_model_size(path: str, hypothesis: Node, subjects: HypothesisSubjects) -> None:
    """Raises `InputError` if the model is too large to be fitted.

    A covariate that the coefficient names without a choice is a single numeric column of the model.
    """
    numbers, covariates = hypothesis["of"].split(TIMES), hypothesis["covariates"]
    choices = {
        name: 2 if name == ARM else 1 + sum("=" in coefficient for coefficient in subjects.covariates[name])
        for name in distinct_names_in_covariates(covariates)
    }
    columns = {name: 1 if name in numbers else size - 1 for name, size in choices.items()}
    products = [covariate.split(TIMES) for covariate in covariates if TIMES in covariate]
    count = 1 + sum(columns.values()) + sum(prod(columns[side] for side in sides) for sides in products)
    if count > MOST_COEFFICIENTS:
        reason = _("its covariates make %(count)s coefficients, above %(most)s: leave one out")
        raise InputError(path, reason, count=count, most=MOST_COEFFICIENTS)
    patterns = prod(choices.values())
    if patterns > MOST_PATTERNS:
        reason = _("its covariates have %(count)s combinations of choices, above %(most)s: leave one out")
        raise InputError(path, reason, count=f"{patterns:,}", most=f"{MOST_PATTERNS:,}")
