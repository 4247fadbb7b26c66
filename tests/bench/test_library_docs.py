"""The page of the library and its notebook are what the code says today."""

from importlib import import_module

import pytest

from bench import library_docs

pytestmark = pytest.mark.page


def test_the_page_is_made_of_the_docstrings_of_today() -> None:
    assert library_docs.PAGE.read_text() == library_docs.page()


def test_the_notebook_prints_what_it_shows() -> None:
    notebook = library_docs.NOTEBOOK.read_text()
    assert library_docs.executed(notebook) == notebook


def test_every_function_and_class_on_the_page_says_what_it_is() -> None:
    named = [
        getattr(import_module(module), name)
        for modules in library_docs.CONTENTS.values()
        for module, names in modules.items()
        for name in names
    ]
    # A dataclass without a docstring gets its signature as one.
    silent = [what for what in named if not what.__doc__ or what.__doc__.startswith(f"{what.__name__}(")]
    assert silent == []
    assert {what.__module__.partition(".")[0] for what in named} == {"candor", "privacy", "mining"}
