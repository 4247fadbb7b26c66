import pytest

from tests.vectors import make

pytestmark = pytest.mark.proof


def test_the_committed_vectors_are_those_that_the_script_makes() -> None:
    assert make.FILE.read_text(encoding="utf-8") == make.text()
