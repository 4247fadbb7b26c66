"""How far records can change beliefs, for any matrix of probabilities and any prior: the breaches of document 000."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.guarantee.amplification import worst_posterior
from privacy.guarantee.breaches import CLOSE

if TYPE_CHECKING:
    import pandas as pd

Property = Collection[Any] | Callable[[Any], bool]
"""The values of people who have it, or a function that says of a value whether it is one of these."""
MOST_VALUES, MOST_PROBABILITIES = 10_000, 4_000_000
"""Of a file."""


@dataclass(frozen=True, repr=False)
class Breaches:
    """What records tell of people's values.

    `before` has the prior of each value and each property; `after` a row for each value and property, and a column for
    each record: the posterior once the record is known, NaN for a record that nobody sends. `amplification`: the
    largest ratio of two probabilities of the same record; inf if a record excludes a value.
    """

    before: "pd.Series[float]"
    after: "pd.DataFrame"
    amplification: float

    def to_frame(self) -> "pd.DataFrame":
        """Returns a row per value and property: before, the least and the most after any record, and these records.

        `bound`: the most that the amplification allows with any other matrix and any prior.
        """
        import pandas as pd  # late for cost

        gamma = None if self.amplification == inf else Fraction(self.amplification)
        bound = [float(worst_posterior(gamma, Fraction(p))) if gamma else 1.0 for p in self.before]
        return pd.DataFrame(
            {
                "before": self.before,
                "least": self.after.min(axis=1),
                "least_after": self.after.idxmin(axis=1),
                "most": self.after.max(axis=1),
                "most_after": self.after.idxmax(axis=1),
                "bound": bound,
            }
        )

    def __repr__(self) -> str:
        return f"Breaches(amplification={self.amplification:.6g})\n{self.to_frame()}"


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def breaches(
    matrix: "ArrayLike | pd.DataFrame",
    prior: "Sequence[float] | Mapping[Any, float] | pd.Series[float]",
    properties: Mapping[str, Property] | None = None,
) -> Breaches:
    """Computes by Bayes' rule what each record tells of a person: the posterior of each value and each property.

    `matrix`: the probability of each record (columns) given each true value (rows), as a data frame with their names
    or as an array, whose rows and columns are numbered from 0. `prior`: the probability of each value before.
    """
    import pandas as pd  # late for cost

    law = matrix if isinstance(matrix, pd.DataFrame) else pd.DataFrame(np.asarray(matrix, np.float64))
    chances = law.to_numpy(np.float64)
    if (
        not chances.size
        or not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=CLOSE)
        or not (chances >= 0).all()
    ):
        raise InputError("matrix", _("each row has probabilities of the records, which sum to 1"))
    weights = _prior_of(law.index, prior)
    has = {name: _has(law.index, name, values) for name, values in (properties or {}).items()}
    joint = weights[:, None] * chances
    after = joint / joint.sum(axis=0)
    rows = np.vstack([after, *(after[mask].sum(axis=0) for mask in has.values())])
    before = np.concatenate([weights, [weights[mask].sum() for mask in has.values()]])
    names = pd.Index([*law.index, *has], dtype=object)
    return Breaches(
        pd.Series(before, names, name="before"),
        pd.DataFrame(rows, names, law.columns),
        _amplification(chances),
    )


def read_breaches(file: Path, properties: Mapping[str, Property]) -> Breaches:
    """Reads a CSV file of a value, its prior and the probability of each record a row; its first row names them."""
    import pandas as pd  # late for cost

    from privacy.records.csv_row_reader import column_names, csv_rows  # late for cost
    from privacy.records.record_file import open_as_plain_csv  # late for cost

    table: dict[str, NDArray[np.float64]] = {}
    with open_as_plain_csv(file) as lines:
        rows = csv_rows(lines, str(file))
        names = column_names(next(rows, None), str(file))
        most = min(MOST_VALUES, MOST_PROBABILITIES // len(names))
        for where, (value, *numbers) in rows:
            if value in table:
                raise InputError(where, _("appears twice: keep one of the two rows"))
            if len(table) == most:
                raise InputError(where, _("more than %(most)s values"), most=most)
            try:
                table[value] = np.fromiter(map(float, numbers), np.float64, len(numbers))
            except ValueError:
                raise InputError(where, _("has another cell than a number after the value")) from None
    if "prior" not in names[1:] or not table:
        raise InputError(
            str(file), _("has a value, its prior and probabilities of records in each row, with a head")
        )
    matrix = pd.DataFrame(np.array([*table.values()]), [*table], names[1:])
    return breaches(matrix, matrix.pop("prior"), properties)


def _prior_of(values: "pd.Index[Any]", prior: Any) -> NDArray[np.float64]:
    import pandas as pd  # late for cost

    named = pd.Series(prior).reindex(values) if isinstance(prior, Mapping | pd.Series) else prior
    weights = np.asarray(named, np.float64)
    if len(prior) != len(values) or not (weights >= 0).all() or abs(weights.sum() - 1) > CLOSE:
        raise InputError("prior", _("has a probability of each value of the matrix, which sum to 1"))
    return weights


def _has(values: "pd.Index[Any]", name: str, wanted: Property) -> NDArray[np.bool_]:
    """Returns a mask of the values that have a property."""
    if callable(wanted):
        return np.array([bool(wanted(value)) for value in values])
    unknown = [value for value in wanted if value not in values]
    if unknown:
        raise InputError(f"properties.{name}", _("%(value)s is no value of the matrix"), value=unknown[0])
    return np.asarray(values.isin(list(wanted)))


def _amplification(chances: NDArray[np.float64]) -> float:
    sent = chances[:, chances.max(axis=0) > 0]
    least = sent.min(axis=0)
    return float((sent.max(axis=0) / least).max()) if (least > 0).all() else inf
