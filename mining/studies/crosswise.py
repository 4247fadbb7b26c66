"""Tests whether respondents to a crosswise question prefer one of its two words (docs/mathematics.md, Crosswise).

In one version *same* is recorded as *yes*, in the other, with the opposite secret, *different* is. The law of the
record is the same, so a preference for one of the words shows as a difference. Random answers do not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import two_sided


@dataclass(frozen=True)
class WordPreference:
    """The difference of the estimated shares, first version less second; z and p of no difference.

    NaN where a version has no record.
    """

    difference: Floats
    z: Floats
    p: Floats


def word_preference(records: NDArray[Any], having: NDArray[Any], keep: float) -> WordPreference:
    """From the disguised records and those recorded as *yes*, version by row; `keep` is |1 - 2u|."""
    with np.errstate(divide="ignore", invalid="ignore"):
        received = having / records
        common = having.sum(axis=0) / records.sum(axis=0)
        error = np.sqrt(common * (1 - common) * (1 / records).sum(axis=0)) / keep
    difference = (received[0] - received[1]) / keep
    # All have answered alike: there is no difference, and no error.
    z = difference / np.where(error == 0, 1.0, error)
    return WordPreference(difference, z, two_sided(z))
