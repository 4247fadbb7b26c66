"""Plans of hypotheses, frozen before a survey opens; the design holds only the SHA-256 of its plan.

Respondents can read a design, and a hypothesis would tell them which answers are expected. The random salt
keeps the hash from being guessed.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from privacy.designs.design import Design
from privacy.designs.repeated_questions import reason_without_change
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node, canonical_text, parts_to_decimal, read_json, read_json_file

FORMAT = "candor-plan/1"
SALT = re.compile(r"[0-9a-f]{32}", re.ASCII)
MOST_HYPOTHESES = 20
MOST_NAMES = 20
MODELS = ("linear", "logit")
MORE, LESS = "more", "less"
DIRECTIONS = (MORE, LESS)
TIMES, ARM = "*", "arm"
MOST_COEFFICIENTS, MOST_PATTERNS = 20, 4_096
"""Limits of a model: coefficients with the intercept, and combinations of choices of its covariates."""


@dataclass(frozen=True, slots=True)
class NamedHypothesis:
    """Base class of hypotheses: a name that is unique in its plan, and a kind."""

    name: str

    def as_json(self) -> dict[str, Any]:
        """Returns a hypothesis as JSON without its name and kind; shares become decimals."""
        result = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "name"}
        for name, value in result.items():
            if isinstance(value, int):
                result[name] = parts_to_decimal(value)
            elif isinstance(value, tuple):
                result[name] = list(value)
        return result


@dataclass(frozen=True, slots=True)
class ItemHypothesis(NamedHypothesis):
    """Base class of hypotheses about one item (an answer to a question).

    `questions`: names of the design's questions that the hypothesis names apart from its `items`.
    """

    item: str

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items that the hypothesis is about."""
        return (self.item,)

    @property
    def questions(self) -> tuple[str, ...]:
        """Names of the questions that the hypothesis names apart from its items."""
        return ()


@dataclass(frozen=True, slots=True)
class ShareHypothesis(ItemHypothesis):
    """Hypothesis: the share of an item differs from the number `than`, in ten-thousandths."""

    kind: ClassVar[str] = "share"
    than: int


@dataclass(frozen=True, slots=True)
class ArmsHypothesis(ItemHypothesis):
    """Hypothesis: the share of an item differs between the direct and the disguised arm."""

    kind: ClassVar[str] = "arms"


@dataclass(frozen=True, slots=True)
class VersionHypothesis(ItemHypothesis):
    """Hypothesis: the share of an item differs between the two choices of the drawn question `by`."""

    kind: ClassVar[str] = "version"
    by: str

    @property
    def questions(self) -> tuple[str, ...]:
        return (self.by,)


@dataclass(frozen=True, slots=True)
class ChangeHypothesis(ItemHypothesis):
    """Hypothesis: the share of an item is larger (`direction` "more") or smaller ("less") than in the survey that the
    design follows."""

    kind: ClassVar[str] = "change"
    direction: str


@dataclass(frozen=True, slots=True)
class AssociationHypothesis(NamedHypothesis):
    """Hypothesis: the lift of an association rule differs from 1."""

    kind: ClassVar[str] = "association"
    questions: ClassVar[tuple[str, ...]] = ()
    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]

    @property
    def items(self) -> tuple[str, ...]:
        return (*self.antecedent, *self.consequent)


@dataclass(frozen=True, slots=True)
class CoefficientHypothesis(ItemHypothesis):
    """Hypothesis: the coefficient `of` in a model of an item differs from 0.

    `covariates` of the model as `age`, `age*sex`, `arm`.
    """

    kind: ClassVar[str] = "coefficient"
    model: str
    covariates: tuple[str, ...]
    of: str

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(name for name in distinct_names_in_covariates(self.covariates) if name != ARM)


def distinct_names_in_covariates(covariates: Iterable[str]) -> list[str]:
    """Returns the distinct questions in the covariates of a model: `age` and `sex` for `age*sex`."""
    return list(dict.fromkeys(name for covariate in covariates for name in covariate.split(TIMES)))


Hypothesis = (
    ShareHypothesis
    | ArmsHypothesis
    | VersionHypothesis
    | ChangeHypothesis
    | AssociationHypothesis
    | CoefficientHypothesis
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of hypotheses with the random salt of its hash, made and checked by `parse_plan`."""

    salt: str
    hypotheses: tuple[Hypothesis, ...]

    @property
    def canonical(self) -> str:
        """The canonical JSON of the plan."""
        return canonical_text(self.as_json())

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, which the design holds."""
        return sha256(self.canonical.encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        hypotheses = [
            {"name": hypothesis.name, "kind": hypothesis.kind, **hypothesis.as_json()}
            for hypothesis in self.hypotheses
        ]
        return {"format": FORMAT, "salt": self.salt, "hypotheses": hypotheses}


def parse_plan(text: str | bytes) -> Plan:
    """Reads and checks a plan of hypotheses in JSON; raises `InputError` for a fault."""
    members = read_json(text, "plan").members(frozenset({"format", "salt", "hypotheses"}), frozenset())
    if members["format"].text() != FORMAT:
        raise members["format"].refuse(_("must be %(format)s"), format=FORMAT)
    if SALT.fullmatch(members["salt"].text()) is None:
        raise members["salt"].refuse(_("must be 32 digits of 0 to 9 and a to f"))
    node, hypotheses = members["hypotheses"], dict[str, Hypothesis]()
    for item in node.items():
        hypothesis = _read_hypothesis(item)
        if hypothesis.name in hypotheses:
            raise item.refuse(
                _("%(name)s appears twice: give each hypothesis a name of its own"),
                name=quote_value(hypothesis.name),
            )
        hypotheses[hypothesis.name] = hypothesis
        if len(hypotheses) > MOST_HYPOTHESES:
            raise node.refuse(_("at most %(most)s hypotheses: leave some out"), most=MOST_HYPOTHESES)
    if not hypotheses:
        raise node.refuse(_("at least one hypothesis"))
    return Plan(members["salt"].text(), tuple(hypotheses.values()))


def parse_plan_file(path: Path) -> Plan:
    """Reads and checks a file with a plan of hypotheses; an error message names the file too."""
    return read_json_file(path, parse_plan)


def _read_hypothesis(node: Node) -> Hypothesis:
    kind = node.object_members().get("kind")
    if kind is None:
        raise node.refuse(_("%(key)s is missing"), key="'kind'")
    name = kind.text()
    if name not in KINDS:
        raise kind.refuse(
            _("%(kind)s is not a kind of hypothesis (%(kinds)s)"),
            kind=quote_value(name),
            kinds=", ".join(KINDS),
        )
    keys, read = KINDS[name]
    members = node.members(frozenset({"name", "kind", *keys}), frozenset())
    return read(members)


def _read_share(members: dict[str, Node]) -> ShareHypothesis:
    return ShareHypothesis(members["name"].name(), members["item"].name(), members["than"].probability())


def _read_arms(members: dict[str, Node]) -> ArmsHypothesis:
    return ArmsHypothesis(members["name"].name(), members["item"].name())


def _read_version(members: dict[str, Node]) -> VersionHypothesis:
    return VersionHypothesis(members["name"].name(), members["item"].name(), members["by"].name())


def _read_change(members: dict[str, Node]) -> ChangeHypothesis:
    direction = members["direction"]
    if direction.text() not in DIRECTIONS:
        raise direction.refuse(
            _("%(direction)s is no direction (%(directions)s)"),
            direction=quote_value(direction.text()),
            directions=", ".join(DIRECTIONS),
        )
    return ChangeHypothesis(members["name"].name(), members["item"].name(), direction.text())


def _read_association(members: dict[str, Node]) -> AssociationHypothesis:
    sides = (_read_names(members[side]) for side in ("antecedent", "consequent"))
    return AssociationHypothesis(members["name"].name(), *sides)


def _read_coefficient(members: dict[str, Node]) -> CoefficientHypothesis:
    model = members["model"]
    if model.text() not in MODELS:
        raise model.refuse(
            _("%(model)s is no model (%(models)s)"), model=quote_value(model.text()), models=", ".join(MODELS)
        )
    return CoefficientHypothesis(
        members["name"].name(),
        members["item"].name(),
        model.text(),
        _read_names(members["covariates"]),
        members["of"].name(),
    )


def _read_names(node: Node) -> tuple[str, ...]:
    names = tuple(item.name() for item in node.items())
    if not 0 < len(names) <= MOST_NAMES:
        raise node.refuse(_("must hold 1 to %(most)s names"), most=MOST_NAMES)
    if len(set(names)) < len(names):
        raise node.refuse(_("holds a name twice"))
    return names


KINDS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Node]], Hypothesis]]] = {
    ShareHypothesis.kind: (("item", "than"), _read_share),
    ArmsHypothesis.kind: (("item",), _read_arms),
    VersionHypothesis.kind: (("item", "by"), _read_version),
    ChangeHypothesis.kind: (("item", "direction"), _read_change),
    AssociationHypothesis.kind: (("antecedent", "consequent"), _read_association),
    CoefficientHypothesis.kind: (("item", "model", "covariates", "of"), _read_coefficient),
}


def check_plan(plan: Plan, design: Design, earlier: Design | None = None) -> None:
    """Refuses a plan of hypotheses with an item or a question that the design does not have, or with a change that
    cannot be told.

    `earlier` is the design that this one follows; None: it is not known.
    """
    items = {
        f"{question.name}={choice}" for question in design.mined.questions for choice in question.code_names
    }
    questions = {question.name for question in design.questions}
    for index, hypothesis in enumerate(plan.hypotheses):
        where = f"hypotheses[{index}]"
        for item in hypothesis.items:
            if item not in items:
                raise InputError(where, _("the design has no answer %(item)s"), item=quote_value(item))
        for name in hypothesis.questions:
            if name not in questions:
                raise InputError(where, _("the design has no question %(name)s"), name=quote_value(name))
        if isinstance(hypothesis, ChangeHypothesis):
            _check_change(where, hypothesis, design, earlier)


def _check_change(where: str, hypothesis: ChangeHypothesis, design: Design, earlier: Design | None) -> None:
    if not design.follows:
        raise InputError(where, _("the design follows no earlier one, so no change can be told"))
    reason = reason_without_change(earlier.mined, design.mined, hypothesis.item) if earlier else ""
    if reason:
        raise InputError(where, reason, item=quote_value(hypothesis.item))


def check_plan_fingerprint(plan: Plan, fingerprint: str) -> None:
    """Refuses a plan of hypotheses whose SHA-256 is not the one in the design."""
    if plan.fingerprint != fingerprint:
        raise InputError(
            "plan", _("its SHA-256 is not the one in the design: use the file that was frozen at opening")
        )
