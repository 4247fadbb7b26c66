"""The list of references: what cites it finds what it cites."""

import re

import pytest
from django.test import Client
from django.utils.html import escape

from tests import servers
from ui.references import read_references

CITED = re.compile(r"docs/references\.md\)?: ([a-z0-9, -]+?)(?=[).:;\n]|$)", re.MULTILINE)


def citations() -> dict[str, list[str]]:
    files = [*(servers.ROOT / "privacy").rglob("*.py"), *(servers.ROOT / "papers").rglob("*.py")]
    return {
        str(file.relative_to(servers.ROOT)): [key.strip() for keys in found for key in keys.split(",")]
        for file in files
        if (found := CITED.findall(file.read_text()))
    }


def test_every_line_of_the_list_is_read_and_the_laws_cite_what_is_in_it() -> None:
    lines = (servers.ROOT / "docs/references.md").read_text().splitlines()
    assert len(read_references()) == sum(line.startswith("* ") for line in lines)
    assert {"000", "001", "002", "003", "004", "warner-1965"} <= set(read_references())
    cited = citations()
    laws = "grouped/law crosswise/section place/law number/window/circular_law number/window/law"
    assert {f"privacy/kinds/{law}.py" for law in laws.split()} <= set(cited)
    assert "privacy/plane/square_mechanism.py" in cited
    assert {key for keys in cited.values() for key in keys} <= set(read_references())
    # So is what an entry is after.
    named = {
        key
        for entry in read_references().values()
        for key in re.findall(r"[a-z]+-\d{4}", "".join(entry.parts))
    }
    assert named
    assert named <= set(read_references())


@pytest.mark.page
def test_the_method_page_lists_the_works(visitor: Client) -> None:
    page = visitor.get("/app/method").content.decode()
    assert 'href="#references"' in page
    for key, reference in read_references().items():
        assert f'id="{key}"' in page
        assert all(f"<cite>{escape(title)}</cite>" in page for title in reference.parts[1::2])
