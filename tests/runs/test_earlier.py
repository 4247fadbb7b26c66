import pytest

from runs import starting
from runs.earlier import is_earlier, mathematics


@pytest.mark.parametrize(
    ("version", "number"),
    [("mining 4, numpy 2.4.6, scipy 1.17.1", 4), ("mining 12", 12), ("", 0), ("numpy 2", 0), ("mining x", 0)],
)
def test_the_mathematics_of_a_version_is_its_number(version: str, number: int) -> None:
    assert mathematics(version) == number


def test_a_run_made_now_is_not_an_earlier_one() -> None:
    assert not is_earlier(starting.version("bitmap"))
    assert not is_earlier("mining 5")
    assert is_earlier("mining 4, numpy 2.4.6")
    assert is_earlier("")
