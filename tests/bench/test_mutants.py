"""The mutants are drawn from rooms that are there, and tried by tests that are there."""

from bench import mutants
from tests.servers import ROOT


def test_the_rooms_of_the_mutants_and_their_tests_are_there() -> None:
    named = {path for area in mutants.AREAS.values() for paths in area for path in paths}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
