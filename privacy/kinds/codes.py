"""Arrays of the codes of many records."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.unsignedinteger[Any]]
"""Questions x respondents, as narrow as the codes allow."""


def smallest_code_type(codes: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Returns the smallest unsigned integer type that holds all codes below `codes`."""
    return np.dtype(np.min_scalar_type(max(codes - 1, 1)))
