"""The array type of the answer codes of many records, and the smallest integer type that holds them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.unsignedinteger[Any]]
"""Answer codes of many records, question x respondent, in the smallest integer type that holds them."""


def smallest_code_type(codes: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Returns the smallest unsigned integer type that holds all codes below `codes`."""
    return np.dtype(np.min_scalar_type(max(codes - 1, 1)))
