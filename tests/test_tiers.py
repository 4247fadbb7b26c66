"""What stands in `release` has a smaller case of its subject in every run."""

from pathlib import Path

import pytest

from tests.tiers import RELEASE, in_release, is_whole

TESTS = Path(__file__).parent


@pytest.mark.parametrize("key", RELEASE)
def test_it_is_there_and_so_is_its_smaller_case(key: str) -> None:
    path, _colons, name = key.partition("::")
    place, smaller = TESTS / path, TESTS / RELEASE[key]
    assert place.exists()
    assert name.split("::")[-1].partition("[")[0] in (place.read_text() if name else "")
    assert smaller.is_file()
    assert not in_release(f"tests/{RELEASE[key]}")
    assert not is_whole(key) or smaller != place


def test_a_test_is_in_release_by_its_folder_its_file_or_its_name() -> None:
    assert in_release("tests/soak/test_embedded.py::test_all")
    assert in_release("tests/config/test_hanging.py")
    assert in_release("tests/jobs/test_stacks.py::TestEmbedded::test_a_deaf_worker_notices[1]")
    assert not in_release("tests/jobs/test_stacks.py::TestEmbedded::test_a_killed_worker_is_replaced")
    assert not in_release("tests/jobs/test_stacks.py")
