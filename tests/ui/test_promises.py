"""The document and the page have the same promises, and each names tests that are there."""

import ast
import re
from functools import cache

import pytest
from django.test import Client

from tests import servers
from ui.attackers import attackers_as_markdown
from ui.limits import LIMITS
from ui.promises import DOCUMENT, PROMISES, find_promise_tests


@cache
def functions(path: str) -> frozenset[str]:
    """Of a test file, those of its classes as `Class::test`."""
    source = (servers.ROOT / "tests" / path).read_text()
    if not path.endswith(".py"):
        return frozenset(re.findall(r'^test\("(.+?)"', source, re.MULTILINE))
    tree = ast.parse(source)
    found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return frozenset(found)


def test_the_document_has_the_promises_of_the_page_and_its_table_of_attackers() -> None:
    assert list(find_promise_tests()) == [*(promise.title for promise in PROMISES), "By attacker"]
    assert (
        DOCUMENT.read_text().partition("## By attacker")[2]
        == "".join(attackers_as_markdown()).partition("## By attacker")[2]
    )


def test_each_promise_names_tests_that_are_there() -> None:
    assert [promise.key for promise in PROMISES if not promise.tests] == []
    named = [test.partition("::")[::2] for promise in PROMISES for test in promise.tests]
    # Of a test of JavaScript the whole file is named.
    missing = [
        (path, name)
        for path, name in named
        if not (name in functions(path) if name else (servers.ROOT / "tests" / path).exists())
    ]
    assert missing == []


@pytest.mark.page
@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_page_shows_every_promise_and_every_limit(language: str) -> None:
    page = Client(headers={"accept-language": language}).get("/app/limits").content.decode()
    keys = re.findall(r'<li id="([a-z-]+)"', page)
    assert keys == [*(promise.key for promise in PROMISES), *(limit.key for limit in LIMITS)]
    shown = page[page.index(f'id="{PROMISES[0].key}"') :].split("</li>")[0]
    assert bool(re.search("[一-鿿]{8}", shown)) is (language == "zh-hans")
