"""The accent colour of a survey: finds shades that are readable on each background, and writes the style sheet."""

from colorsys import hls_to_rgb, rgb_to_hls
from functools import lru_cache
from hashlib import sha256

GROUNDS = {
    "light": ("#f8f5ed", "#fffdf8", "#efeadd"),
    "dark": ("#11161f", "#19202c", "#0b0f16"),
}
"""Background colours of each colour scheme: --ground, --paper and --sunk of ui/tokens.css."""
ON_ACCENT = {"light": "#ffffff", "dark": "#000000"}
"""Text colour of a button in the accent colour, by scheme.

White is lighter than the light backgrounds and black darker than the dark ones, so both contrast more with a
shade than its background does.
"""
LEAST_CONTRAST = 4.5
"""Least contrast of text, WCAG 2.2 success criterion 1.4.3 (AA); controls need 3 (1.4.11)."""
STEPS = 4096
"""Number of steps of lightness among which a shade is searched."""


def luminance(colour: str) -> float:
    """Returns the relative luminance from 0 to 1, as WCAG 2.2 defines it."""
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _rgb_parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Returns the WCAG contrast ratio of two colours, from 1 to 21."""
    brighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def least_contrast(colour: str, scheme: str) -> float:
    """Returns the lowest contrast of a colour with the backgrounds of this scheme."""
    return min(contrast(colour, ground) for ground in GROUNDS[scheme])


@lru_cache(maxsize=256)
def readable_shade(colour: str, scheme: str) -> str:
    """Returns the nearest shade of the same hue and saturation that is readable in this scheme, found by bisection.

    Luminance rises with the lightness of HLS; black and white always pass.
    """
    if least_contrast(colour, scheme) >= LEAST_CONTRAST:
        return colour
    hue, lightness, saturation = rgb_to_hls(*_rgb_parts(colour))
    end = 0.0 if scheme == "light" else 1.0
    near, far = 0, STEPS
    while far - near > 1:
        middle = (near + far) // 2
        tried = _hex_colour(*hls_to_rgb(hue, lightness + (end - lightness) * middle / STEPS, saturation))
        near, far = (near, middle) if least_contrast(tried, scheme) >= LEAST_CONTRAST else (middle, far)
    return _hex_colour(*hls_to_rgb(hue, lightness + (end - lightness) * far / STEPS, saturation))


@lru_cache(maxsize=256)
def style_sheet(colour: str) -> str:
    """Returns the CSS that colours a survey's pages for respondents; they load it after their own style sheets."""
    light, dark = (
        f"--next:{readable_shade(colour, scheme)};--on-next:{ON_ACCENT[scheme]}"
        for scheme in ("light", "dark")
    )
    return (
        f":root:root{{{light}}}"
        f"@media(prefers-color-scheme:dark){{:root:root{{{dark}}}}}"
        ".masthead{border-block-end:.1875rem solid var(--next)}"
    )


def style_sheet_name(colour: str) -> str:
    """Returns the name of the style sheet, with a hash so that browsers may cache it, such as 7a1f3d-0123456789ab."""
    return f"{colour.removeprefix('#')}-{sha256(style_sheet(colour).encode()).hexdigest()[:12]}"


def _rgb_parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _hex_colour(*parts: float) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
