"""Whether two JSON values are the same but for rounding."""

from typing import Any

import pytest


def assert_close(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name, value in one.items():
            assert_close(value, other[name])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for value, another in zip(one, other, strict=True):
            assert_close(value, another)
    elif isinstance(one, float) and other is not None:
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9)
    else:
        assert one == other
