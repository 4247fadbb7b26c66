from pathlib import Path

import pytest

from tests.fast_part import has_one_of, left_out_marks


@pytest.mark.parametrize(
    ("expression", "marks"),
    [
        ("", set()),
        ("slow", set()),
        ("not slow", {"slow"}),
        ("not slow and not browser", {"slow", "browser"}),
        ("not slow or not browser", set()),
        ("not slow and server", set()),
        ("not (slow and server)", set()),
    ],
)
def test_only_marks_that_are_all_left_out_count(expression: str, marks: set[str]) -> None:
    assert left_out_marks(expression) == marks


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        ("import pytest\n", False),
        ("pytestmark = pytest.mark.slow\n", True),
        ("import pytest\n\npytestmark = [pytest.mark.django_db, pytest.mark.slow]\n", True),
        ("pytestmark = [\n    pytest.mark.django_db,\n    pytest.mark.slow,\n]\n", True),
        ("pytestmark = pytest.mark.django_db\n", False),
        ("pytestmark = pytest.mark.slowly\n", False),
        ("@pytest.mark.slow\ndef test_one() -> None: ...\n", False),
    ],
)
def test_a_file_is_left_out_where_all_its_tests_have_the_mark(
    tmp_path: Path, text: str, is_left_out: bool
) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(text)
    assert has_one_of({"slow"}, path) is is_left_out


def test_no_file_loses_a_test_that_the_fast_part_has(request: pytest.FixtureRequest) -> None:
    """Of the files that are left out unread, every test that was collected here has the mark."""
    marks = {"slow", "server", "browser"}
    for item in request.session.items:
        if has_one_of(marks, item.path):
            assert any(item.get_closest_marker(name) for name in marks), item.nodeid
