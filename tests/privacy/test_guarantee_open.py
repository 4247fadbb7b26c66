import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest

from privacy.guarantee.amplification import Guarantee, Open, of_answer
from privacy.kinds.grouped.law import SectionLaw

WARNER = SectionLaw(Fraction(1, 2), ((Fraction(1, 2), Fraction(1, 2)),), 1)
NUMBERS: tuple[Callable[..., object], ...] = (int, float, complex, Fraction)


def test_a_disguised_answer_has_a_guarantee() -> None:
    found = of_answer(True, [WARNER])
    assert isinstance(found, Guarantee)
    assert found.gamma == 3


def test_an_open_answer_has_none() -> None:
    assert of_answer(False, [WARNER]) == Open()


def test_an_open_answer_holds_nothing_and_nothing_can_be_put_into_it() -> None:
    assert fields(Open) == ()
    assert [name for name in dir(Open()) if not name.startswith("_")] == []
    with pytest.raises((AttributeError, TypeError)):
        Open().gamma = Fraction(1)  # type: ignore[attr-defined]


def test_an_open_answer_is_not_a_number() -> None:
    for number in NUMBERS:
        with pytest.raises(TypeError):
            number(Open())


def test_nothing_disguised_makes_no_guarantee() -> None:
    with pytest.raises(ValueError, match="nothing is disguised"):
        Guarantee(())


@pytest.mark.proof
@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Open().gamma", '"Open" has no attribute "gamma"'),
        ("Open().epsilon()", '"Open" has no attribute "epsilon"'),
        ("of_answer(False, [law]).gamma", '"Open" of "Guarantee | Open" has no attribute "gamma"'),
        ("Guarantee((Open(),))", "incompatible type"),
        ("Guarantee(Fraction(1))", "incompatible type"),
        ("Open(Fraction(1))", "Too many arguments"),
        ("Guarantee((law,)).gamma", None),
    ],
)
def test_the_types_have_no_way_to_say_a_number_for_it(
    line: str, complaint: str | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    code = f"""
from fractions import Fraction
from privacy.guarantee.amplification import Guarantee, Open, of_answer
from privacy.kinds.grouped.law import SectionLaw
law = SectionLaw(Fraction(1, 2), ((Fraction(1, 2), Fraction(1, 2)),), 1)
{line}
"""
    root = Path(__file__).parents[2]
    cache = tmp_path_factory.getbasetemp() / "mypy"
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
    )
    assert (found.returncode, complaint or "Success") == (1 if complaint else 0, complaint or "Success")
    assert (complaint or "Success") in found.stdout
