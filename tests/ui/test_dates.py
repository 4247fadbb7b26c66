"""One style of dates in each language."""

from datetime import UTC, datetime

import pytest
from django.utils import formats, translation

from ui.templatetags.ui import moment

EVENING = datetime(2026, 11, 20, 18, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "name", "words"),
    [
        ("en", "DATE_FORMAT", "20 November 2026"),
        ("en", "SHORT_DATE_FORMAT", "20 Nov 2026"),
        ("en", "DATETIME_FORMAT", "20 November 2026, 18:33"),
        ("en", "SHORT_DATETIME_FORMAT", "20 Nov 2026, 18:33"),
        ("zh-hans", "DATE_FORMAT", "2026年11月20日"),
        ("zh-hans", "SHORT_DATETIME_FORMAT", "2026年11月20日 18:33"),
    ],
)
def test_a_date_is_written_one_way(language: str, name: str, words: str) -> None:
    with translation.override(language):
        assert formats.date_format(EVENING, name) == words


def test_a_moment_is_short_and_exact_for_machines() -> None:
    assert moment(EVENING) == '<time datetime="2026-11-20T18:33:00+00:00">20 Nov 2026, 18:33</time>'
