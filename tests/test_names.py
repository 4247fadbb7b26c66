"""Each public class of the product has its own name, so that a traceback, an import and a document mean one class."""

import ast
from collections import defaultdict

from tests.test_imports import modules

OF_DJANGO = {"Command", "Migration", "Meta"}
"""Django prescribes these names."""

STORED = {
    "Design": {"privacy.designs.design", "surveys.models"},
    "Plan": {"privacy.designs.plan", "surveys.models"},
}
"""What is frozen, and the row that stores it: to rename the model would need a migration of every table that refers to
it."""


def doubles() -> dict[str, set[str]]:
    """The names of public module-level classes that several modules define, and these modules."""
    found = defaultdict(set)
    for module, path in modules().items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(module)
    return {name: where for name, where in found.items() if len(where) > 1}


def test_no_two_public_classes_share_a_name() -> None:
    found = {name: where for name, where in doubles().items() if name not in OF_DJANGO}
    assert found == STORED
