"""Disguised answers in any data frame: which rows count, what they say, and by which law.

The answers of a set of rows become one sum of shares (docs/mathematics.md, Sums of shares): a group for each law, or
for each law and class of similar weights (Weights).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from candor.laws import ResponseLaw
from mining.studies.population_weights import weight_class_sides
from mining.studies.single_answer_score_moments import AnswerLaw
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Laws = ResponseLaw | Mapping[Any, Any]
"""A law; or laws by answer column; with `law_by` laws by the value of that column, or these by answer column."""


@dataclass(frozen=True)
class Roles:
    """Columns of a frame that say how an answer counts: the law of a row by its value of `law_by`, its weight, and
    its cluster. `yes`: the value that is a yes, or these by answer column."""

    law_by: str | None
    weights: str | None
    clusters: str | None
    yes: object

    @property
    def columns(self) -> list[str]:
        return [name for name in (self.law_by, self.weights, self.clusters) if name is not None]


class Side(NamedTuple):
    """Groups of a sum of shares: numbers of records and of yes, the law, and the factor in the sum."""

    n: Floats
    x: Floats
    keep: Floats
    chance: Floats
    factor: Floats

    @property
    def share(self) -> float:
        return float((self.factor * (self.x / self.n - self.chance) / self.keep).sum())

    @property
    def variance(self) -> float:
        received = self.x / self.n
        return float(((self.factor / self.keep) ** 2 * received * (1 - received) / self.n).sum())

    @property
    def effective(self) -> float:
        """The number of records of equal weight, after weights and clusters; of two samples all of them."""
        is_mean = bool((self.factor >= 0).all())
        return float(1 / (self.factor**2 / self.n).sum() if is_mean else self.n.sum())


def parse_formula(formula: str) -> tuple[list[str], str]:
    """Returns the columns joined by + left of `~`, and the right side."""
    left, tilde, right = formula.partition("~")
    items = names_of_sum(left)
    if not tilde or not right.strip() or not all(items):
        raise InputError("formula", _("must have answers and covariates, as in theft ~ age"))
    return items, right.strip()


def names_of_sum(text: str) -> list[str]:
    """Returns the names of columns joined by +, without 1."""
    return [name for part in text.split("+") if (name := part.strip().strip("`")) != "1"]


def used_rows(
    frame: pd.DataFrame, columns: Sequence[str], weights: str | None = None
) -> tuple[Rows, dict[str, int]]:
    """Returns the rows that have a value in all `columns` and a weight, and how many rows lack which."""
    for name in columns:
        if name not in frame.columns:
            raise InputError("frame", _("has no column %(name)s"), name=quote_value(name))
    lacking = {f"no {name}": frame[name].isna().to_numpy() for name in columns}
    if weights is not None:
        weight = pd.to_numeric(frame[weights], errors="coerce").to_numpy(np.float64)
        if not (~frame[weights].notna() | ((weight >= 0) & (weight < np.inf))).all():
            raise InputError(f"weights: {weights}", _("must be finite numbers of at least 0"))
        lacking["weight 0"] = weight == 0
    rows = np.flatnonzero(~np.logical_or.reduce([*lacking.values()]))
    if not len(rows):
        raise InputError("frame", _("has no row with all of the values that are needed"))
    return rows, {reason: int(lacks.sum()) for reason, lacks in lacking.items() if lacks.any()}


def read_answers(used: pd.DataFrame, item: str, law: Laws, roles: Roles) -> pd.DataFrame:
    """Returns for each row `yes` (1 where it says what its law calls yes), `keep`, `chance`, `weight` and `cluster`
    (None without clusters); `law` numbers the laws."""
    by_item = law.get(item, law) if isinstance(law, Mapping) else law
    key = (
        used[roles.law_by]
        if roles.law_by and isinstance(by_item, Mapping)
        else used[item].map(lambda _: item)
    )
    laws = {value: by_item.get(value) if isinstance(by_item, Mapping) else by_item for value in key.unique()}
    for value, one in laws.items():
        if not isinstance(one, ResponseLaw):
            raise InputError(
                f"law: {value}", _("must be a law such as warner(.8), not %(law)s"), law=quote_value(one)
            )
    answers = pd.DataFrame({"keep": 1.0, "chance": 0.0, "turned": False}, index=used.index)
    for name in answers:
        answers[name] = key.map({value: getattr(one, str(name)) for value, one in laws.items()}).to_numpy()
    yes = _as_yes(used[item], item, roles.yes)
    answers["yes"] = np.where(answers["turned"], 1 - yes, yes)
    answers["weight"] = 1.0 if roles.weights is None else used[roles.weights].astype(float)
    answers["cluster"] = None if roles.clusters is None else used[roles.clusters].astype(str)
    answers["law"] = answers.groupby(["keep", "chance"], dropna=False).ngroup()
    return answers.reset_index(drop=True)


def make_side(answers: pd.DataFrame) -> Side:
    """Returns the answers as groups whose sum is their share (docs/mathematics.md, Weights).

    Clusters divide all counts by their design effect (Rao and Scott 1992), if it is above 1.
    """
    laws = [of_law for _number, of_law in answers.groupby("law")]
    parts, influences = [], []
    for of_law, factor in zip(laws, _factors_of_laws(laws), strict=True):
        law = of_law[["keep", "chance"]].iloc[0]
        keep, chance = (1.0, 0.0) if np.isnan(law["chance"]) else law
        by_weight = of_law.groupby("weight")["yes"].agg(["size", "sum"]).astype(float).reset_index()
        size, yes, weight = (by_weight[name].to_numpy() for name in ("size", "sum", "weight"))
        received, part = weight_class_sides(size, yes, weight, AnswerLaw(keep, chance))
        parts.append([*(column[:, 0] for column in received), part * factor])
        share = np.average(of_law["yes"], weights=of_law["weight"])
        influence = factor / keep * of_law["weight"] * (of_law["yes"] - share) / of_law["weight"].sum()
        influences.append(influence)
    n, x, *law_and_factor = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    side = Side(n, x, *law_and_factor)
    if answers["cluster"].isna().all() or not side.variance:
        return side
    by_row = pd.concat(influences).to_numpy()[:, None]
    effect = max(1.0, cluster_variance(by_row, pd.concat(laws)["cluster"]).item() / side.variance)
    return side._replace(n=n / effect, x=x / effect)


def cluster_variance(influence: Floats, cluster: "pd.Series[Any]") -> Floats:
    """Returns the variance of a sum of independent clusters, from the influence of each row (row by column)."""
    totals = pd.DataFrame(influence).groupby(cluster.to_numpy()).sum().to_numpy()
    if len(totals) < 2:
        raise InputError("clusters", _("must be two at least, in each group"))
    return np.asarray(totals.T @ totals * len(totals) / (len(totals) - 1))


def _factors_of_laws(laws: Sequence[pd.DataFrame]) -> Floats:
    """Returns the factor of each law in the sum: its share of the weight, or, of two samples with an unknown share of
    yes to the unrelated question, that of Greenberg et al. (1969)."""
    is_unknown = [bool(of_law["chance"].isna().any()) for of_law in laws]
    if not any(is_unknown):
        weight = np.array([of_law["weight"].sum() for of_law in laws])
        return np.asarray(weight / weight.sum())
    p = np.array([of_law["keep"].iloc[0] for of_law in laws])
    if len(p) != 2 or not all(is_unknown):
        reason = _("is unknown: each group needs two samples whose p differ, named by law_by")
        raise InputError("unrelated_question: yes", reason)
    return np.asarray(np.array([1 - p[1], p[0] - 1]) / (p[0] - p[1]))


def _as_yes(column: "pd.Series[Any]", item: str, yes: object) -> Floats:
    """Returns 1 for yes and 0 for no; yes is 1, True or "yes", or the value that is given."""
    wanted = yes.get(item) if isinstance(yes, Mapping) else yes
    if wanted is not None:
        return np.asarray(column == wanted, np.float64)
    told = column.astype(object).map(lambda value: value.lower() if isinstance(value, str) else value)
    for pair in ((0, 1), ("no", "yes")):
        if told.isin(pair).all():
            return np.asarray(told == pair[1], np.float64)
    reason = _("must be 0 and 1, or no and yes; name the value that is a yes (yes=...), not %(values)s")
    raise InputError(f"frame: {item}", reason, values=quote_value(column.unique().tolist()[:3]))
