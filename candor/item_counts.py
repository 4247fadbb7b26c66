"""List experiments (item counts): half of the people count one sensitive item more (Miller 1984; Imai 2011)."""

from math import log
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize

from candor.estimates import Estimates
from candor.formulas import coefficient_table, model_matrix, names_in_formula
from candor.frames import Floats, used_rows
from candor.randomised_response import critical_z_of_level
from privacy.grammar.input_error import InputError, mark_for_translation as _

NO_GUARANTEE = (
    "A list experiment gives no guarantee of this kind: a count of none or of all items reveals the answer, "
    "and nothing bounds what a count says."
)
DRAWS, SEED = 10_000, 1
"""Draws from the distribution of the test of no design effect, which are the same each time."""
SMALL_P = 0.05


def item_count(
    frame: pd.DataFrame,
    *,
    count: str,
    treated: str,
    items: int,
    on: str | None = None,
    clusters: str | None = None,
    level: float = 0.95,
) -> Estimates:
    """Estimates the share of a sensitive item from a list experiment: the difference in mean `count`, or with `on`, as
    `age + C(sex)`, how the share depends on covariates (linear, Imai 2011).

    `treated`: 1 for people whose list had the sensitive item too; `items`: number of items without it. The note has p
    of no design effect (Blair and Imai 2012): the sensitive item changed no other answer.
    """
    critical_z = critical_z_of_level(level)
    columns = [count, treated, *(names_in_formula(on) if on else []), *([clusters] if clusters else [])]
    rows, left_out = used_rows(frame, list(dict.fromkeys(columns)))
    used = frame.iloc[rows].reset_index(drop=True)
    y, t = used[count].to_numpy(np.float64), used[treated].to_numpy(np.float64)
    if not np.isin(t, (0, 1)).all() or min((t == 0).sum(), (t == 1).sum()) < 2:
        raise InputError(f"frame: {treated}", _("must be 0 and 1, with two rows at least of each"))
    if not (np.isin(y, range(items + 2)) & (y <= items + t)).all():
        reason = _("must be whole numbers from 0 to %(most)s, and one more where the item is added")
        raise InputError(f"frame: {count}", reason, most=items)
    matrix = model_matrix(on or "1", used)
    both = pd.concat([matrix, (matrix * t[:, None]).add_prefix("item: ")], axis=1)
    cluster = used[clusters].astype(str) if clusters else None
    table = coefficient_table(y, both, critical_z, cluster=cluster).iloc[len(matrix.columns) :]
    table = table.reset_index(drop=True)
    table["of"] = table["of"].str.removeprefix("item: ") if on else "share"
    if not on:
        table[["low", "high"]] = table[["low", "high"]].clip(0, 1)
    p = design_effect_p(y, t, items)
    doubt = " The list seems to change other answers: the estimate may mislead." if p < SMALL_P else ""
    notes = (f"p of no design effect: {p:.4f}.{doubt}", NO_GUARANTEE)
    method = f"Wald interval{'s and' if on else ' within [0, 1],'} p, with the sandwich"
    return Estimates("item count", table, method, level, len(y), left_out, notes)


def design_effect_p(y: Floats, t: Floats, items: int) -> float:
    """Returns p of the test that every share of people by count and sensitive answer is at least 0: of each answer a
    likelihood ratio test, with Bonferroni's correction for two (Blair and Imai 2012, section 3)."""
    below = [np.array([(y[t == group] <= most).mean() for most in range(items + 1)]) for group in (0, 1)]
    n = [(t == group).sum() for group in (0, 1)]
    cumulative, among = [], []
    for shares, number in zip(below, n, strict=True):
        smaller, larger = np.minimum.outer(shares, shares), np.maximum.outer(shares, shares)
        cumulative.append(shares)
        among.append(smaller * (1 - larger) / number)
    first, later = slice(0, items), slice(1, items + 1)
    with_item = cumulative[0][first] - cumulative[1][first], among[0][first, first] + among[1][first, first]
    without = cumulative[1][later] - cumulative[0][first], among[1][later, later] + among[0][first, first]
    return min(1.0, 2 * min(_one_sided_p(*with_item, len(y)), _one_sided_p(*without, len(y))))


def _one_sided_p(shares: Floats, variance: Floats, n: int) -> float:
    """Returns p of the test that no share is below 0, by draws from the normal distribution (Kudo 1963), without shares
    that are far above 0 (Andrews and Soares 2010)."""
    tested = shares <= np.sqrt(log(n) * np.diag(variance))
    if (shares >= 0).all():
        return 1.0
    among = variance[np.ix_(tested, tested)] + np.eye(tested.sum()) / n**3
    inverse = np.linalg.inv(np.linalg.cholesky(among))
    draws = np.random.default_rng(SEED).standard_normal((DRAWS, tested.sum()))
    # The squared distance from the nearest shares of at least 0.
    nearest: Any = optimize.nnls  # type: ignore[attr-defined]  # which scipy does not name as its own
    observed, *drawn = (nearest(inverse, of)[1] for of in (inverse @ shares[tested], *draws))
    return float(np.mean(np.array(drawn) >= observed))
