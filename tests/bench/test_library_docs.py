"""The page of the library and its notebook are what the code says today."""

import json
import re

import pytest

import candor
from bench import library_docs

pytestmark = pytest.mark.page


def test_generated_library_documents_are_current() -> None:
    """The page from docstrings, the licence of R from that of Python, the counts that the tests of R read."""
    assert library_docs.PAGE.read_text() == library_docs.page()
    assert library_docs.LICENCE.read_text() == library_docs.licence_of_r()
    assert library_docs.STUDIES_OF_R.read_text() == library_docs.STUDIES.read_text()


def test_notebook_prints_the_output_it_shows() -> None:
    notebook = library_docs.NOTEBOOK.read_text()
    assert library_docs.executed(notebook) == notebook


def test_library_page_lists_and_explains_every_public_name() -> None:
    on_page = [name for names in library_docs.CONTENTS.values() for name in names]
    assert sorted(on_page) == sorted({*candor._NAMES} - {"OPEN", "DISGUISED"})
    named = [getattr(candor, name) for name in on_page]
    # A dataclass without a docstring gets its signature as one.
    assert [of for of in named if not of.__doc__ or of.__doc__.startswith(f"{of.__name__}(")] == []


def test_the_notebook_and_the_examples_import_candor_alone() -> None:
    cells = json.loads(library_docs.NOTEBOOK.read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for text in (code, library_docs.FRAME, library_docs.COUNTS):
        assert "import candor" in text
        assert not re.search(r"^ *(?:from|import) (?:privacy|mining|candor\.)", text, re.MULTILINE)
