from pathlib import Path

import pytest

from tests.fast_part import has_one_of, left_out_marks


@pytest.mark.parametrize(
    ("expression", "marks"),
    [
        ("", set()),
        ("page", set()),
        ("not page", {"page"}),
        ("not page and not browser", {"page", "browser"}),
        ("not page or not browser", set()),
        ("not page and server", set()),
        ("not (page and server)", set()),
    ],
)
def test_only_marks_that_are_all_left_out_count(expression: str, marks: set[str]) -> None:
    assert left_out_marks(expression) == marks


@pytest.mark.parametrize(
    ("text", "is_left_out"),
    [
        ("import pytest\n", False),
        ("pytestmark = pytest.mark.page\n", True),
        ("import pytest\n\npytestmark = [pytest.mark.django_db, pytest.mark.page]\n", True),
        ("pytestmark = [\n    pytest.mark.django_db,\n    pytest.mark.page,\n]\n", True),
        ("pytestmark = pytest.mark.django_db\n", False),
        ("pytestmark = pytest.mark.pages\n", False),
        ("@pytest.mark.page\ndef test_one() -> None: ...\n", False),
    ],
)
def test_a_file_is_left_out_where_all_its_tests_have_the_mark(
    tmp_path: Path, text: str, is_left_out: bool
) -> None:
    path = tmp_path / "test_one.py"
    path.write_text(text)
    assert has_one_of({"page"}, path) is is_left_out


def test_no_file_loses_a_test_that_the_fast_part_has(request: pytest.FixtureRequest) -> None:
    """Of the files that are left out unread, every test that was collected here has the mark."""
    marks = {"page", "proof", "server", "browser"}
    for item in request.session.items:
        if has_one_of(marks, item.path):
            assert any(item.get_closest_marker(name) for name in marks), item.nodeid
