"""What `import candor` offers, and that mypy and Python see the same names."""

import ast
from pathlib import Path

import pytest

import candor


def declared() -> dict[str, str]:
    """The module of each name, as the block for type checkers has it."""
    tree = ast.parse(Path(candor.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def test_type_checkers_see_the_names_that_there_are() -> None:
    assert declared() == candor._NAMES
    assert {*candor._NAMES} <= {*dir(candor)}
    for room in ("candor", "mining", "privacy"):
        assert (Path(candor.__file__).parents[1] / room / "py.typed").is_file()


@pytest.mark.page
def test_each_name_is_that_of_its_module() -> None:
    for name, module in candor._NAMES.items():
        value = getattr(candor, name)
        assert getattr(value, "__module__", module).startswith(module.partition(".")[0])


def test_a_name_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        candor.guess  # type: ignore[attr-defined]  # noqa: B018
