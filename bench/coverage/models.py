"""Coefficients of models, and corrected shares where some answer at random."""

from collections.abc import Iterator

import numpy as np

from bench.coverage.section import Bar, Section, Value
from bench.studying import controls, models
from mining.studies.estimating_equations import LINEAR, LOGIT

MOST_IMPOSSIBLE = 0.05


LINKS = {"linear": LINEAR, "logit": LOGIT}


def model_cells() -> list[tuple[str, int]]:
    """A link and the place of a setting: links cannot be pickled."""
    return [(kind, index) for kind in LINKS for index in range(len(settings_of(kind)))]


def settings_of(kind: str) -> list[models.ModelSetting]:
    return list(models.model_settings(LINKS[kind]))


def coefficients(numbered: tuple[str, int], surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Logits that often have no end are left out: those that have one are chosen by it."""
    kind, index = numbered
    setting = settings_of(kind)[index]
    result = models.model_cell(setting, surveys, rng)
    if result.impossible > MOST_IMPOSSIBLE:
        return
    cell = (
        f"keep {setting.keep:g}, {setting.n:,} respondents, rare {setting.rare:g}, slope {setting.slope:g}, "
        f"open {setting.opened}"
    )
    for covered in result.covered:
        yield Value(f"coefficient, {kind}", cell, covered, surveys, result.impossible)


def control_cells() -> list[controls.ControlSetting]:
    return list(controls.control_settings())


def corrected(setting: controls.ControlSetting, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    result = controls.control_cell(setting, surveys, rng)
    cell = (
        f"{setting.careless:g} at random, share {setting.share:g}, known {setting.known:g}, keep {setting.keep:g}, "
        f"{setting.n:,} respondents"
    )
    used = round(surveys * (1 - result.unbounded))
    yield Value("corrected share", cell, result.covered, used, result.unbounded)


SECTIONS = (
    Section(
        "models",
        "Coefficients of models",
        "Linear models and logits on age and sex, 1,000 to 4,000 respondents, some answer openly and differ.",
        model_cells,
        coefficients,
        600,
        4_000,
        {"coefficient, linear": Bar(0.92), "coefficient, logit": Bar(0.92)},
    ),
    Section(
        "corrected",
        "Shares corrected for those who answer at random",
        "0 to 20 % answer at random; surveys without both ends are left out.",
        control_cells,
        corrected,
        4_000,
        40_000,
        {"corrected share": Bar(0.92)},
    ),
)
