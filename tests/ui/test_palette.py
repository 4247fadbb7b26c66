import re

import pytest
from django.conf import settings
from hypothesis import given, strategies as st

from ui.survey_accent_colour import GROUNDS, ON_ACCENT, readable_shade, style_sheet, style_sheet_name

TOKENS = (settings.BASE_DIR / "static/ui/tokens.css").read_text()
COLOUR = re.compile(r"--([a-z0-9-]+): (#[0-9a-f]{6});")


def palette(selector: str) -> dict[str, str]:
    block = TOKENS[TOKENS.index(selector) :].split("}")[0]
    return dict(COLOUR.findall(block))


LIGHT = palette(":root {\n  color-scheme: light;")
DARK = palette(':is([data-theme="dark"]')
THEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_contrast_is_21_between_black_and_white_and_1_between_equals() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#7b7768", "#7b7768") == 1


def test_both_palettes_name_the_same_colours_and_the_dark_one_is_the_same_chosen_or_by_the_system() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert len(LIGHT) == 16
    assert palette(':is([data-theme="system"]') == DARK


def too_faint(least: float, *pairs: str) -> list[tuple[str, str, float]]:
    """Of these pairs, such as "ink ground", those whose contrast is less in one of the themes."""
    found = [
        (theme, pair, contrast(*(colours[name] for name in pair.split())))
        for theme, colours in THEMES.items()
        for pair in pairs
    ]
    return [line for line in found if line[2] < least]


def test_palette_text_and_marks_have_contrast_on_every_ground() -> None:
    """What is said beside is read easily too; drawn are intervals, their dots, borders of controls and the focus."""
    errors = ["error ground", "error paper", "error error-ground", "on-error error", "ink error-ground"]
    drawn = ["iv ground", "iv paper", "edge ground", "edge paper", "ink iv"]
    assert too_faint(7, "ink ground", "ink paper", "ink sunk") == []
    assert too_faint(4.5, "soft ground", "soft paper", "soft sunk") == []
    assert too_faint(4.5, *errors, "on-ink ink", "on-next next") == []
    assert too_faint(3, *drawn, "focus ground", "focus paper", "focus sunk") == []


PAIRS = ("ink ground", "soft ground", "iv ground", "edge ground", "focus ground", "on-next next")
CHOSEN = {"light": (14.4, 7.4, 3.8, 4.1, 5.6, 8.3), "dark": (15.0, 9.2, 4.9, 5.6, 9.0, 9.4)}


def test_the_contrasts_are_those_that_were_chosen() -> None:
    """Above the least that is needed, so that a change of one colour is noticed here."""
    for theme, figures in CHOSEN.items():
        for pair, figure in zip(PAIRS, figures, strict=True):
            one, other = (THEMES[theme][name] for name in pair.split())
            assert contrast(one, other) == pytest.approx(figure, abs=0.06), (theme, pair)


def test_only_the_tokens_hold_colours() -> None:
    for sheet in (settings.BASE_DIR / "static/ui").glob("*.css"):
        if sheet.name not in ("tokens.css", "print.css", "paper.css", "paper-intervals.css"):
            declared = re.sub(r"(?m)^.*\{", "", sheet.read_text())
            assert not re.findall(r"#[0-9a-f]{3,8}\b", declared), sheet.name


SHEETS = [
    *settings.BASE_DIR.glob("static/*/*.css"),
    # Not those that a demonstration has packed into var.
    *(
        sheet
        for sheet in settings.BASE_DIR.glob("*/static/*/*.css")
        if not sheet.is_relative_to(settings.BASE_DIR / "var")
    ),
]


def rules(sheet: str) -> list[tuple[str, str]]:
    """Pairs of a selector and what stands between its braces, without comments."""
    return re.findall(r"([^{};]+)\{([^{}]*)\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))


def test_accent_colour_marks_only_the_next_step() -> None:
    used = {
        f"{sheet.name}: {selector.strip()}"
        for sheet in SHEETS
        for selector, body in rules(sheet.read_text())
        if "var(--next)" in body and ".default" not in selector  # the admin's own name of it
    }
    assert used == {
        "components.css: .button.primary",
        "components.css: .notice.next",
        "judging.css: .judged:focus-within",
        'judging.css: [dir="rtl"] .judged:focus-within',
        "styleguide.css: .swatch.next",
    }


def test_hover_has_no_colour_of_its_own() -> None:
    coloured = ("var(--next)", "var(--focus)")
    for sheet in SHEETS:
        for selector, body in rules(sheet.read_text()):
            if ":hover" in selector and ":focus" not in selector:
                assert not any(colour in body for colour in coloured), (sheet.name, selector)


def test_no_font_is_shipped_and_no_heading_has_one_of_its_own() -> None:
    sheets = {sheet.name: sheet.read_text() for sheet in SHEETS}
    assert not [name for name, text in sheets.items() if "@font-face" in text or "--serif" in text]
    families = re.findall(r"--sans: ([^;]+);", TOKENS)
    assert [family.split(",")[0] for family in families] == ["-apple-system"]
    assert "system-ui" not in families[0]


# --- the colour of a survey ---

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
