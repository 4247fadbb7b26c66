"""Numbers worked out elsewhere for the formulas of docs/mathematics.md, Studies."""

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "vectors" / "studies.json"


def vectors(formula: str) -> list[dict[str, Any]]:
    every = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]
    found = [vector for vector in every if vector["formula"] == formula]
    assert found, formula
    return found
