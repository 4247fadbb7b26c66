import re

import pytest
from django.conf import settings

TOKENS = (settings.BASE_DIR / "static/look/tokens.css").read_text()
COLOUR = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")


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


def test_both_palettes_name_the_same_colours() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert len(LIGHT) == 15


def test_the_dark_palette_is_the_same_chosen_or_by_the_system() -> None:
    assert palette(':is([data-theme="system"]') == DARK


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "paper", "sunk"])
def test_text_is_read_with_the_best_contrast_on_every_ground(theme: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours["ink"], colours[ground]) >= 7


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "paper", "sunk"])
def test_what_is_said_beside_is_still_read_easily(theme: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours["soft"], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("pair", [("iv", "ground"), ("iv", "paper"), ("ink", "iv")])
def test_an_interval_is_seen_on_its_ground_and_its_dot_on_it(theme: str, pair: tuple[str, str]) -> None:
    one, other = (THEMES[theme][name] for name in pair)
    assert contrast(one, other) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "pair",
    [
        ("error", "ground"),
        ("error", "paper"),
        ("error", "error-ground"),
        ("on-error", "error"),
        ("ink", "error-ground"),
        ("on-ink", "ink"),
        ("on-accent", "accent"),
        ("on-accent", "accent-deep"),
    ],
    ids=" on ".join,
)
def test_words_in_colour_are_read(theme: str, pair: tuple[str, str]) -> None:
    colours = THEMES[theme]
    assert contrast(colours[pair[0]], colours[pair[1]]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "paper"])
def test_the_border_of_a_control_is_seen(theme: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours["edge"], colours[ground]) >= 3


def test_only_the_tokens_hold_colours() -> None:
    for sheet in (settings.BASE_DIR / "static/look").glob("*.css"):
        if sheet.name not in ("tokens.css", "print.css"):
            assert not re.findall(r"#[0-9a-f]{3,8}\b", re.sub(r"(?m)^.*\{", "", sheet.read_text())), (
                sheet.name
            )
