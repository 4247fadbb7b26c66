"""Numbers worked out elsewhere for the formulas of docs/mathematics.md, Studies."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "vectors" / "studies.json"
REFERENCE = Path(__file__).with_name("reference.json")
"""Made by reference.R beside it, which says with which packages."""


def vectors(formula: str) -> list[dict[str, Any]]:
    every = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]
    found = [vector for vector in every if vector["formula"] == formula]
    assert found, formula
    return found


def reference_settings() -> list[dict[str, Any]]:
    """Counts by age and sex with the shares and coefficients that other people's methods give."""
    settings: list[dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))["settings"]
    return settings
