"""Estimates from any data frame by formulas: shares, their differences, and models of a sensitive answer.

Shares and differences have score intervals (docs/mathematics.md, Score test and Sums of shares), coefficients Wald's
with the sandwich (Models).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from candor.estimates import Estimates
from candor.frames import (
    Floats,
    Laws,
    Roles,
    Rows,
    Side,
    cluster_variance,
    make_side,
    names_of_sum,
    parse_formula,
    read_answers,
    used_rows,
)
from candor.laws import ResponseLaw
from candor.randomised_response import count_shares, critical_z_of_level, refined_end
from mining.inference.intervals import two_sided_p
from mining.inference.selection_correction import holm
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares
from mining.studies import estimating_equations as equations
from mining.studies.answer_counts_by_plain_pattern import PatternScores
from privacy.grammar.input_error import (
    InputError,
    mark_for_translation as _,
    name_extra_of_missing_package,
    quote_value,
)

Family = Literal["linear", "logit"]
FEW_CLUSTERS = 30
FEW_ANSWERS = 60
DEPENDENT = 1e-9


def shares_by_formula(formula: str, frame: pd.DataFrame, law: Laws, roles: Roles, level: float) -> Estimates:
    """Estimates the shares of yes of the formula's items in each group."""
    critical_z, tables = critical_z_of_level(level), []
    items, right = parse_formula(formula)
    reading = _Reading(frame, law, roles, names_of_sum(right))
    for item in items:
        answers, used = reading.answers(item)
        groups = list(_groups(used, reading.covariates))
        parts = [answers.iloc[places] for _label, places in groups]
        counts = pd.DataFrame([{"item": item, **label, "n": len(places)} for label, places in groups])
        is_one_law = answers["law"].nunique() == 1 and answers["chance"].notna().all()
        if is_one_law and not roles.weights and not roles.clusters:
            # The answers are turned already.
            known, having = (
                ResponseLaw(*answers[["keep", "chance"]].iloc[0]),
                [part["yes"].sum() for part in parts],
            )
            table = count_shares(having, counts.pop("n"), known, level).astype({"n": int})
        else:
            sides = list(map(make_side, parts))
            rows = [(side.effective, side.share, side.variance**0.5) for side in sides]
            table = pd.DataFrame(rows, columns=["effective", "share", "se"])
            table = table.assign(**_interval(_sum_of_sides(sides), critical_z, 0.0))
        tables.append(pd.concat([counts, table], axis=1))
    method = "Estimates are not cut to [0, 1]; score intervals within [0, 1]"
    return reading.result("shares", pd.concat(tables), method, level)


def differences(
    formula: str,
    frame: pd.DataFrame,
    law: Laws,
    *,
    law_by: str | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    yes: object = None,
    level: float = 0.95,
) -> Estimates:
    """Estimates by how much the share of yes differs between each group and the first, as in `theft ~ sex`.

    The other arguments are those of `shares` of a formula. p of no difference and the interval are of one score test;
    `holm` is p after Holm over all rows.
    """
    critical_z, rows, sides = critical_z_of_level(level), [], []
    items, right = parse_formula(formula)
    reading = _Reading(frame, law, Roles(law_by, weights, clusters, yes), names_of_sum(right))
    if len(reading.covariates) != 1:
        raise InputError("formula", _("must have one column of groups, as in theft ~ sex"))
    (group,) = reading.covariates
    for item in items:
        answers, used = reading.answers(item)
        (low, base), *others = [
            (label[group], answers.iloc[places]) for label, places in _groups(used, [group])
        ]
        first = make_side(base)
        for high, part in others:
            second = make_side(part)
            row = {"item": item, group: f"{high} less {low}", "n_first": len(base), "n_second": len(part)}
            rows.append({**row, "first": first.share, "second": second.share})
            both = Side(*map(np.concatenate, zip(first, second, strict=True)))
            sides.append(both._replace(factor=np.concatenate([-first.factor, second.factor])))
    if not sides:
        raise InputError("formula", _("must have two groups at least"))
    test = _sum_of_sides(sides, -1.0)
    z = test.z(np.zeros(len(test)))
    table = pd.DataFrame(rows).assign(difference=test.point_estimate(), **_interval(test, critical_z, -1.0))
    table = table.assign(z=z, p=two_sided_p(z), holm=holm(two_sided_p(z)))
    return reading.result(
        "differences", table, "Second less first; score intervals, p of the same test", level
    )


def regress(
    formula: str,
    frame: pd.DataFrame,
    law: Laws,
    *,
    family: Family = "linear",
    law_by: str | None = None,
    weights: str | None = None,
    clusters: str | None = None,
    yes: object = None,
    level: float = 0.95,
) -> Estimates:
    """Models how the share of yes depends on covariates, as in `theft ~ age + C(sex)`: linearly or as a logit.

    The right side is a formula of formulaic, which the extra `formula` brings. The other arguments are those of
    `shares` of a formula. p and interval of a coefficient are Wald's; `fit_model` has the score test of a logit.
    """
    if family not in ("linear", "logit"):
        raise InputError("family", _("must be linear or logit, not %(value)s"), value=quote_value(family))
    critical_z, tables = critical_z_of_level(level), []
    items, right = parse_formula(formula)
    reading = _Reading(frame, law, Roles(law_by, weights, clusters, yes), names_in_formula(right))
    for item in items:
        answers, used = reading.answers(item)
        if answers["chance"].isna().any():
            raise InputError("unrelated_question: yes", _("must be known for a model"))
        scores = (answers["yes"] - answers["chance"]) / answers["keep"]
        if min(answers["yes"].sum(), (1 - answers["yes"]).sum()) < FEW_ANSWERS:
            reading.notes.add(f"Fewer than {FEW_ANSWERS} rows say yes, or no: the intervals are too short.")
        matrix, cluster = model_matrix(right, used), answers["cluster"] if clusters else None
        table = coefficient_table(scores, matrix, critical_z, family, answers["weight"].to_numpy(), cluster)
        table.insert(0, "item", item)
        tables.append(table)
    error = "CR1, by clusters" if clusters else "HC1"
    method = f"Wald intervals and p, with the sandwich ({error})"
    return reading.result("coefficients", pd.concat(tables), method, level)


class _Reading:
    """Reads answers from a frame, and notes which rows are used and left out, and why."""

    def __init__(self, frame: pd.DataFrame, law: Laws, roles: Roles, covariates: Sequence[str]) -> None:
        self.frame, self.law, self.roles, self.covariates = frame, law, roles, list(covariates)
        self.left_out, self.used, self.notes = Counter[str](), set[int](), set[str]()

    def answers(self, item: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Returns the answers to an item, and the rows of the frame that have them."""
        columns = list(dict.fromkeys([item, *self.covariates, *self.roles.columns]))
        rows, left_out = used_rows(self.frame, columns, self.roles.weights)
        # Of several items a row without a covariate is left out once.
        self.left_out |= Counter(left_out)
        self.used |= set(rows.tolist())
        used = self.frame.iloc[rows]
        answers = read_answers(used, item, self.law, self.roles)
        if self.roles.clusters and answers["cluster"].nunique() < FEW_CLUSTERS:
            self.notes.add(f"Fewer than {FEW_CLUSTERS} clusters: intervals are too short.")
        return answers, used

    def result(self, kind: str, table: pd.DataFrame, method: str, level: float) -> Estimates:
        if table["low"].isna().any():
            self.notes.add("Without ends: the counts contradict each other or the law.")
        whole, left_out = table.reset_index(drop=True), dict(self.left_out)
        return Estimates(kind, whole, method, level, len(self.used), left_out, tuple(sorted(self.notes)))


def _groups(used: pd.DataFrame, by: list[str]) -> Iterator[tuple[dict[str, Any], Rows]]:
    """Yields label and places of each group, in the order of the values."""
    number = used.groupby(by, observed=True).ngroup().to_numpy() if by else np.zeros(len(used), np.intp)
    for group in range(number.max() + 1):
        places = np.flatnonzero(number == group)
        yield {str(name): used[name].iloc[places[0]] for name in by}, places


def _sum_of_sides(sides: Sequence[Side], low: float = 0.0) -> SumOfShares:
    """Returns the score test of these sides, a row each, between `low` and 1; sides with fewer groups get empty
    ones."""
    most = max(len(side.n) for side in sides)
    columns = zip(*sides, strict=True)
    n, x, keep, chance, factor = (
        np.stack([np.append(part, np.full(most - len(part), empty)) for part in column], axis=1)
        for column, empty in zip(columns, (0.0, 0.0, 1.0, 0.0, 0.0), strict=True)
    )
    return SumOfShares.with_factors(ReceivedSide(n, x, keep, chance), factor, (low, 1.0))


def _interval(test: SumOfShares, critical_z: float, least: float) -> dict[str, Floats]:
    low, high = test.interval(critical_z)
    low = refined_end(test, low, critical_z, (least, 1.0))
    return {"low": low, "high": refined_end(test, high, -critical_z, (least, 1.0))}


def names_in_formula(right: str) -> list[str]:
    """Returns the columns that the right side of a formula needs."""
    return sorted(_formulaic(right).required_variables)


def model_matrix(right: str, used: pd.DataFrame) -> pd.DataFrame:
    """Returns the columns of a model without collinear ones, which are refused."""
    try:
        matrix = _formulaic(right).get_model_matrix(used, context={}, na_action="ignore").astype(float)
    except ValueError as error:
        raise InputError("formula", _("cannot be read (%(reason)s)"), reason=error) from None
    if not np.isfinite(matrix).all(axis=None):
        raise InputError("formula", _("has covariates without a finite value in some rows"))
    if len(matrix) <= matrix.shape[1]:
        raise InputError("formula", _("has as many coefficients as there are rows"))
    triangle = np.abs(np.diag(np.linalg.qr(matrix, mode="r")))
    dependent = triangle <= DEPENDENT * np.linalg.norm(matrix, axis=0)
    if dependent.any():
        name = quote_value(matrix.columns[int(dependent.argmax())])
        reason = _("%(name)s follows from the covariates before it: leave one of them out")
        raise InputError("formula", reason, name=name)
    return pd.DataFrame(matrix)


def _formulaic(right: str) -> Any:
    with name_extra_of_missing_package():
        from formulaic import Formula  # late for cost
        from formulaic.errors import FormulaicError  # late for cost
    try:
        return Formula(right)
    except FormulaicError as error:
        reason = str(error).partition("\n")[0]
        raise InputError("formula", _("cannot be read (%(reason)s)"), reason=reason) from None


def coefficient_table(
    scores: Any,
    matrix: pd.DataFrame,
    critical_z: float,
    family: Family = "linear",
    weight: Any = 1.0,
    cluster: Any = None,
) -> pd.DataFrame:
    """Returns a row for each coefficient, fitted to the score of each row, with Wald's interval and p from a
    sandwich."""
    (n, k), columns, z = matrix.shape, matrix.to_numpy(), np.asarray(scores, np.float64)
    w = np.ones(n) * weight / np.mean(weight)
    try:
        link = equations.LOGIT if family == "logit" else equations.LINEAR
        fit = equations.fit_coefficients(link, PatternScores(w, w * z, w * z**2), columns)
    except equations.NoMaximum:
        reason = _("logit cannot be estimated: in some rows nearly nobody or everybody; use linear")
        raise InputError("family", reason) from None
    influence = (columns * (w * (z - fit.mean))[:, None]) @ np.linalg.inv(fit.hessian)
    if cluster is None:
        variance = influence.T @ influence * n / (n - k)
    else:
        variance = cluster_variance(influence, cluster) * (n - 1) / (n - k)
    b, se = fit.b, np.sqrt(np.diag(variance))
    ends = {"low": b - critical_z * se, "high": b + critical_z * se}
    table = pd.DataFrame({"of": matrix.columns, "n": n, "b": b, "se": se, **ends})
    return table.assign(z=b / se, p=two_sided_p(b / se))
