"""Codes of many records at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.unsignedinteger[Any]]
"""Questions x respondents, as narrow as the codes allow."""
