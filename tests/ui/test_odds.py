from math import gcd

import pytest
from babel.numbers import format_decimal
from django.utils import translation
from django.utils.formats import number_format
from hypothesis import given, strategies as st

from surveys.phrases.languages import SHIPPED
from surveys.phrases.phrase_rendering import PhraseRenderer
from ui.number_format import format_count, format_percent, number_locale, rounded_odds

SAID = {
    0.7: (7, 10), 0.5: (1, 2), 1 / 3: (1, 3), 0.6666: (2, 3), 0.425: (2, 5), 0.22: (1, 5), 0.125: (1, 8),
    0.875: (7, 8), 0.646: (2, 3), 0.456: (9, 20), 0.4: (2, 5), 0.45: (9, 20), 0.03: (1, 30), 0.01: (1, 100),
    0.0004: (1, 2500), 0.95: (19, 20), 0.995: (199, 200),
}  # fmt: skip


def test_a_share_is_said_as_people_say_it_and_at_or_beyond_the_ends_there_are_no_odds() -> None:
    assert {share: rounded_odds(share) for share in SAID} == SAID
    assert [rounded_odds(share) for share in (0, 1, -0.012, 1.3)] == [None] * 4


def test_a_number_below_zero_has_a_minus_sign() -> None:
    assert format_count(-1000) == "−1,000"
    assert format_percent(-0.012) == "−1.2 %"
    assert PhraseRenderer("de").count_text(-1000) == "−1.000"


@given(st.floats(1e-9, 1 - 1e-9))
def test_what_is_said_is_at_most_three_points_off_and_never_certain(share: float) -> None:
    said = rounded_odds(share)
    assert said
    m, n = said
    assert 0 < m < n
    assert gcd(m, n) == 1
    assert abs(m / n - share) <= 0.03 + 1e-12


@pytest.mark.page
@given(st.floats(1e-9, 0.09))
def test_rare_share_is_worded_within_a_fifth(share: float) -> None:
    said = rounded_odds(share)
    assert said
    assert said[0] == 1
    assert said[0] / said[1] == pytest.approx(share, rel=0.2)


def test_numbers_look_the_same_to_a_respondent_in_sentences_and_in_tables_of_a_report() -> None:
    for language in SHIPPED:
        with translation.override(language):
            for number in (0, 7, 999, 1000, 9999, 10_000, 1_234_567, -1000):
                assert format_count(number) == PhraseRenderer(language).count_text(number), (language, number)
            assert number_format(1.5, 1) == format_decimal(1.5, locale=number_locale()), language
