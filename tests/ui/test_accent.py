"""Whatever colour a survey has: its words are read, in the light and in the dark."""

import re

from hypothesis import given, strategies as st

from tests.ui.test_palette import THEMES, contrast
from ui.survey_accent_colour import GROUNDS, ON_ACCENT, readable_shade, style_sheet, style_sheet_name

COLOURS = st.integers(0, 2**24 - 1).map(lambda number: f"#{number:06x}")
SCHEMES = st.sampled_from(sorted(GROUNDS))


def test_the_grounds_are_those_of_the_tokens() -> None:
    assert {
        theme: tuple(colours[name] for name in ("ground", "paper", "sunk"))
        for theme, colours in THEMES.items()
    } == GROUNDS


@given(COLOURS, SCHEMES)
def test_a_colour_gets_a_shade_that_is_read_on_every_ground_and_under_words(colour: str, scheme: str) -> None:
    found = readable_shade(colour, scheme)
    assert all(contrast(found, ground) >= 4.5 for ground in GROUNDS[scheme])
    assert contrast(ON_ACCENT[scheme], found) >= 4.5
    assert readable_shade(found, scheme) == found


@given(COLOURS, SCHEMES)
def test_a_colour_that_is_read_stays_and_another_moves_as_little_as_it_must(colour: str, scheme: str) -> None:
    found = readable_shade(colour, scheme)
    if all(contrast(colour, ground) >= 4.5 for ground in GROUNDS[scheme]):
        assert found == colour
    else:
        # One step of 255 more or less changes no contrast by more than this.
        assert min(contrast(found, ground) for ground in GROUNDS[scheme]) < 4.75


def test_the_sheet_sets_two_shades_and_its_name_changes_with_it() -> None:
    for colour, shades in {
        "#7a1f3d": ["#7a1f3d", "#d65e85"],
        "#ffd200": ["#7f6800", "#ffd200"],
        "#003366": ["#003366", "#0a85ff"],
    }.items():
        sheet = style_sheet(colour)
        assert re.findall(r"--next:(#[0-9a-f]{6})", sheet) == shades
        assert "url(" not in sheet
        assert re.fullmatch(rf"{colour[1:]}-[0-9a-f]{{12}}", style_sheet_name(colour))
