"""The hypotheses of a survey: drafted with its questionnaire, frozen into a plan when it opens.

In a draft they stand under the key `plan` as candor-plan/1 (privacy.designs.plan); a design holds the SHA-256 alone.
The random salt is made with the first hypothesis and stays, so that the fingerprint that a reviewer approves is the one
that opens.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from privacy.designs import Design, InputError
from privacy.designs.plan import (
    ARM,
    FORMAT,
    MOST_COEFFICIENTS,
    MOST_PATTERNS,
    SALT,
    TIMES,
    Hypothesis,
    Plan,
    check_plan,
    factors,
    parse_plan,
)
from privacy.grammar.input_error import marked as _, quoted
from privacy.grammar.question import DRAWN, Question

KEY = "plan"
SCALE = "scale"
Node = dict[str, Any]


def new_salt() -> str:
    return secrets.token_hex(16)


def drafted_hypotheses(plan: object) -> list[Node]:
    """The hypotheses of a drafted plan."""
    hypotheses: list[Node] = plan.get("hypotheses", []) if isinstance(plan, Mapping) else []
    return hypotheses


def read_plan(drafted_plan: object) -> Plan | None:
    """The plan of the drafted hypotheses, None without any; an `InputError` where it is none."""
    return parse_plan(json.dumps(drafted_plan)) if drafted_hypotheses(drafted_plan) else None


def plan_fingerprint(drafted_plan: object) -> str:
    """The SHA-256 of the plan; empty where there is none, or none that can be read."""
    try:
        plan = read_plan(drafted_plan)
    except InputError:
        return ""
    return plan.fingerprint if plan else ""


def normal_plan(given: object) -> Node:
    """What can be read of a drafted plan; empty without a hypothesis."""
    if not isinstance(given, Mapping) or not isinstance(given.get("hypotheses"), list):
        return {}
    salt = given.get("salt")
    if not isinstance(salt, str) or SALT.fullmatch(salt) is None:
        return {}
    kept = {
        hypothesis.name: {"name": hypothesis.name, "kind": hypothesis.kind, **hypothesis.as_json()}
        for hypothesis in _read(given["hypotheses"], salt)
    }
    return {"format": FORMAT, "salt": salt, "hypotheses": list(kept.values())} if kept else {}


def _read(hypotheses: list[Any], salt: str) -> Iterator[Hypothesis]:
    for each in hypotheses:
        try:
            yield parse_plan(json.dumps({"format": FORMAT, "salt": salt, "hypotheses": [each]})).hypotheses[0]
        except InputError:
            continue


def with_hypothesis(plan: Mapping[str, Any], hypothesis: Node, salt: str) -> Node:
    """The plan with one more, under a name that no other has; `salt` is used with the first."""
    there = drafted_hypotheses(plan)
    taken = {each["name"] for each in there}
    name = next(name for number in range(1, len(there) + 2) if (name := f"H{number}") not in taken)
    return {"format": FORMAT, "salt": salt, **plan, "hypotheses": [*there, {"name": name, **hypothesis}]}


def replace_hypothesis(plan: Mapping[str, Any], name: str, hypothesis: Node) -> Node:
    """The plan with this hypothesis in the place of the one of that name, which keeps its name."""
    changed = [
        {"name": name, **hypothesis} if each["name"] == name else each for each in drafted_hypotheses(plan)
    ]
    return {**plan, "hypotheses": changed}


def without_hypothesis(plan: Mapping[str, Any], name: str) -> Node:
    """Empty without any."""
    kept = [each for each in drafted_hypotheses(plan) if each["name"] != name]
    return {**plan, "hypotheses": kept} if kept else {}


def with_new_salt(plan: object, salt: str) -> Node:
    """The drafted plan for a copy of its survey, which cannot be recognised by its hash; empty without any."""
    return {**plan, "salt": salt} if isinstance(plan, Mapping) and drafted_hypotheses(plan) else {}


@dataclass(frozen=True)
class Subjects:
    """What a hypothesis about this design can name."""

    design: Design

    @cached_property
    def items(self) -> list[str]:
        """Answers of questions that people answer; of a yes/no question only *yes*."""
        return [*self.sensitive_items, *self.plain_items]

    @cached_property
    def sensitive_items(self) -> list[str]:
        return list(self._items(sensitive=True))

    @cached_property
    def plain_items(self) -> list[str]:
        return list(self._items(sensitive=False))

    def _items(self, *, sensitive: bool) -> Iterator[str]:
        sections = zip(self.design.sections, self.design.mined.sections, strict=True)
        for section, mined in sections:
            for question in mined.questions if section.sensitive is sensitive else ():
                if question.form != DRAWN:
                    names = question.code_names
                    yield from (f"{question.name}={names[code]}" for code in question.listed if names)

    @cached_property
    def versions(self) -> list[str]:
        """Drawn questions of two choices."""
        return [
            question.name
            for question in self.design.questions
            if question.form == DRAWN and len(question.choices) == 2
        ]

    @cached_property
    def covariates(self) -> dict[str, list[str]]:
        """What a model can hold, with the names of its coefficients."""
        plain = [
            question
            for section in self.design.sections
            if not section.sensitive
            for question in section.questions
        ]
        by_question = {
            question.name: _coefficients(question) for question in plain if len(question.choices) > 1
        }
        return by_question | ({ARM: [ARM]} if self.design.has_arms else {})

    def coefficients(self, covariates: Sequence[str]) -> dict[str, list[str]]:
        """The names of the coefficients by covariate and product of a model, empty for what cannot stand in one."""
        order = factors(covariates)
        if self.design.has_arms:
            # As the model is computed: the arm stands behind the questions.
            order.sort(key=lambda name: name == ARM)
        return {covariate: self._coefficients_of(covariate.split(TIMES), order) for covariate in covariates}

    def _coefficients_of(self, sides: Sequence[str], order: Sequence[str]) -> list[str]:
        if any(side not in self.covariates for side in sides) or len(set(sides)) < len(sides):
            return []
        named = [self.covariates[side] for side in sorted(sides, key=order.index)]
        if len(named) == 1:
            return named[0]
        return [f"{one}{TIMES}{other}" for one in named[0] for other in named[1]] if len(named) == 2 else []

    @property
    def kinds(self) -> dict[str, bool]:
        """The kinds of hypotheses, each with whether this design allows one."""
        sensitive = bool(self.sensitive_items)
        return {
            "share": bool(self.items),
            "arms": sensitive and self.design.has_arms,
            "version": bool(self.items and self.versions),
            "association": len({item.partition("=")[0] for item in self.items}) > 1,
            "coefficient": bool(sensitive and self.covariates),
        }


def _coefficients(question: Question) -> list[str]:
    """One for each choice but the first; of a scale, also that of the number of its choice."""
    names = [f"{question.name}={name}" for name in question.code_names[1:]]
    return [*([question.name] if question.form == SCALE else []), *names]


def check_hypotheses(plan: Plan, design: Design) -> None:
    """Refuse a plan that this design cannot test, with the place of the hypothesis."""
    check_plan(plan, design)
    subjects = Subjects(design)
    for index, hypothesis in enumerate(plan.hypotheses):
        check_hypothesis(f"hypotheses[{index}]", hypothesis.as_json() | {"kind": hypothesis.kind}, subjects)


def check_hypothesis(where: str, said: Node, subjects: Subjects) -> None:
    kind = said["kind"]
    if kind == "arms" and not subjects.design.has_arms:
        raise InputError(where, _("nobody is asked directly any more: delete it, or ask a share directly"))
    if kind in ("arms", "coefficient") and said["item"] in subjects.plain_items:
        raise InputError(
            where,
            _("%(item)s is not disguised: delete it, and name a sensitive answer"),
            item=quoted(said["item"]),
        )
    if kind == "version" and said["by"] not in subjects.versions:
        raise InputError(
            where, _("%(name)s is not drawn from two versions any more: delete it"), name=quoted(said["by"])
        )
    if kind == "coefficient":
        known = subjects.coefficients(said["covariates"])
        for name, coefficients in known.items():
            if not coefficients:
                raise InputError(
                    where, _("%(name)s cannot be a covariate any more: edit or delete it"), name=quoted(name)
                )
        if not any(said["of"] in coefficients for coefficients in known.values()):
            raise InputError(
                where, _("the model has no coefficient %(name)s any more: delete it"), name=quoted(said["of"])
            )
        _check_size(where, said, subjects)


def _check_size(where: str, said: Node, subjects: Subjects) -> None:
    """Refuse a model that mining would refuse for its size. What the coefficient names without a choice is a number."""
    numbers = said["of"].split(TIMES)
    choices = {
        name: 2 if name == ARM else 1 + sum("=" in coefficient for coefficient in subjects.covariates[name])
        for name in factors(said["covariates"])
    }
    columns = {name: 1 if name in numbers else size - 1 for name, size in choices.items()}
    products = [product.split(TIMES) for product in said["covariates"] if TIMES in product]
    coefficients = (
        1 + sum(columns.values()) + sum(prod(columns[side] for side in product) for product in products)
    )
    if coefficients > MOST_COEFFICIENTS:
        raise InputError(
            where,
            _("its covariates make %(count)s coefficients, above %(most)s: leave one out"),
            count=coefficients,
            most=MOST_COEFFICIENTS,
        )
    if prod(choices.values()) > MOST_PATTERNS:
        raise InputError(
            where,
            _("its covariates have %(count)s combinations of choices, above %(most)s: leave one out"),
            count=f"{prod(choices.values()):,}",
            most=f"{MOST_PATTERNS:,}",
        )
