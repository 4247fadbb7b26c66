"""How many people a survey with randomised response needs (docs/mathematics.md, Sums of shares, Power)."""

from collections.abc import Sequence
from math import exp
from typing import Any, Literal

import numpy as np
import pandas as pd

from candor.laws import ResponseLaw
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares, difference_power
from privacy.grammar.input_error import InputError, mark_for_translation as _

MOST_PEOPLE = 10**9


def power(
    law: ResponseLaw,
    n: int | Sequence[int],
    *,
    share: float,
    than: float | None = None,
    difference: float | None = None,
    coefficient: float | None = None,
    family: Literal["linear", "logit"] = "linear",
    part: float = 0.5,
) -> pd.DataFrame:
    """Returns by number of people `n` the power of a two-sided score test at 95 %; several numbers give a curve.

    One of: `than`, a share from which `share` differs; `difference`, of the share of a second group, a `part` of all,
    from `share`, that of the first; `coefficient`, of a covariate that says who is in the second group, in a model of
    this family.
    """
    people = np.atleast_1d(np.asarray(n, np.float64))
    if [than, difference, coefficient].count(None) != 2:
        raise InputError("power", _("needs one of than, difference and coefficient"))
    other = than if than is not None else share + (difference or coefficient or 0.0)
    if coefficient is not None and family == "logit" and 0 < share < 1:
        other = 1 / (1 + exp(-coefficient) * (1 - share) / share)
    is_possible = 0 < part < 1 and 0 <= share <= 1 and 0 <= other <= 1 and (people >= 2).all()
    if not is_possible or np.isnan(law.chance):
        raise InputError(
            "power", _("shares must be from 0 to 1, part between, n at least 2, and the law known")
        )

    def side(of: float) -> ReceivedSide:
        received = of * people[None]
        return ReceivedSide(received, 0 * received, received**0 * law.keep, received**0 * law.chance)

    first, step = np.full(len(people), share), other - share
    if than is None:
        test = SumOfShares.from_difference(side(1 - part), side(part))
    else:
        # The difference of one share from a number that is known.
        first, step = np.full(len(people), than), share - than
        test = SumOfShares.with_factors(side(1.0), [1.0], (-1.0, 1.0), added=(-first, 0 * first))
    found = difference_power(test, first, np.full(len(people), step))
    return pd.DataFrame({"n": people.astype(np.int64), "power": found})


def sample_size(law: ResponseLaw, *, target: float = 0.8, **compared: Any) -> int:
    """Returns the least number of people with the power `target`; the other arguments are those of `power`."""
    few, many = 1, 2
    while power(law, many, **compared)["power"].item() < target:
        few, many = many, 2 * many
        if many > MOST_PEOPLE:
            raise InputError("target", _("is reached by no number of people"))
    while many - few > 1:
        middle = (few + many) // 2
        is_enough = power(law, middle, **compared)["power"].item() >= target
        few, many = (few, middle) if is_enough else (middle, many)
    return many
