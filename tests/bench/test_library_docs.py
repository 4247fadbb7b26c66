"""The page of the library and its notebook are what the code says today."""

import json
import re

import pytest

import candor
from bench import library_docs

pytestmark = pytest.mark.page


def test_the_page_is_made_of_the_docstrings_of_today() -> None:
    assert library_docs.PAGE.read_text() == library_docs.page()


def test_the_licence_of_r_is_that_of_python() -> None:
    assert library_docs.LICENCE.read_text() == library_docs.licence_of_r()


def test_the_tests_of_r_read_the_published_counts() -> None:
    assert library_docs.STUDIES_OF_R.read_text() == library_docs.STUDIES.read_text()


def test_the_notebook_prints_what_it_shows() -> None:
    notebook = library_docs.NOTEBOOK.read_text()
    assert library_docs.executed(notebook) == notebook


def test_every_function_and_class_on_the_page_says_what_it_is() -> None:
    named = [getattr(candor, name) for names in library_docs.CONTENTS.values() for name in names]
    # A dataclass without a docstring gets its signature as one.
    silent = [what for what in named if not what.__doc__ or what.__doc__.startswith(f"{what.__name__}(")]
    assert silent == []


def test_every_name_of_the_package_is_on_the_page_and_nothing_else() -> None:
    constants = {"OPEN", "DISGUISED"}
    on_page = [name for names in library_docs.CONTENTS.values() for name in names]
    assert sorted(on_page) == sorted({*candor._NAMES} - constants)


def test_the_notebook_and_the_examples_import_candor_alone() -> None:
    cells = json.loads(library_docs.NOTEBOOK.read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for text in (code, library_docs.SURVEY, library_docs.COUNTS):
        assert "import candor" in text
        assert not re.search(r"^ *(?:from|import) (?:privacy|mining|candor\.)", text, re.MULTILINE)
