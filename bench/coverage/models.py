"""Coefficients of models, and corrected shares where some answer at random."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.section import Measures, Value
from bench.studying.controls import ControlSetting, control_cell, control_settings
from bench.studying.models import model_cell, model_settings
from mining.studies.estimating_equations import LINEAR, LOGIT

MOST_IMPOSSIBLE = 0.05
LINKS = {"linear": LINEAR, "logit": LOGIT}


def model_cells() -> Iterator[tuple[str, int]]:
    """A link and the place of a setting: links cannot be pickled."""
    return ((kind, index) for kind, link in LINKS.items() for index, _of in enumerate(model_settings(link)))


def coefficients(numbered: tuple[str, int], surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Logits that often have no end are left out: those that have one are chosen by it."""
    kind, index = numbered
    setting = list(model_settings(LINKS[kind]))[index]
    result = model_cell(setting, surveys, rng)
    if result.impossible > MOST_IMPOSSIBLE:
        return
    cell = (
        f"keep {setting.keep:g}, {setting.n:,} respondents, rare {setting.rare:g}, slope {setting.slope:g}, "
        f"open {setting.opened}"
    )
    for covered in result.covered:
        yield Value(f"coefficient, {kind}", cell, covered, surveys, result.impossible)


def corrected(setting: ControlSetting, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    result = control_cell(setting, surveys, rng)
    cell = (
        f"{setting.careless:g} at random, share {setting.share:g}, known {setting.known:g}, keep {setting.keep:g}, "
        f"{setting.n:,} respondents"
    )
    used = round(surveys * (1 - result.unbounded))
    yield Value("corrected share", cell, result.covered, used, result.unbounded)


MEASURES: Measures = {
    "models": (model_cells, coefficients),
    "corrected": (control_settings, corrected),
}
