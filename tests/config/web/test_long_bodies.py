"""Long bodies come only to the paths whose views read files."""

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from ui import url_path_classes

pytestmark = pytest.mark.page


def views(resolver: Any, before: str = "/") -> Iterator[tuple[str, Any]]:
    """Every address of ours, with a number in each place for one, and the function behind it."""
    for each in resolver.url_patterns:
        part = re.sub(r"<int:\w+>", "7", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from views(each, before + part)
        elif isinstance(each, URLPattern):
            yield before + part, inspect.unwrap(each.callback)


def reads_files(view: Any) -> bool:
    """Whether the view, or a function of its module that it calls, names the files of a request."""
    module = inspect.getmodule(view)
    if not inspect.isfunction(view) or module is None or "django" in module.__name__.split(".")[0]:
        return False
    functions = {
        node.name: node
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef)
    }
    reached, waiting = set[str](), [view.__name__]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    nodes = (node for name in reached for node in ast.walk(functions[name]))
    return any(isinstance(node, ast.Attribute) and node.attr == "FILES" for node in nodes)


def test_just_the_paths_whose_views_read_files_take_long_bodies() -> None:
    found = {path: reads_files(view) for path, view in views(get_resolver())}
    assert sum(found.values()) >= 4
    takes = {path for path in found if url_path_classes.TAKES_FILES.fullmatch(path)}
    # Whose view is django-ninja's.
    of_the_api = {"/api/1/imports"}
    assert takes == {path for path, reads in found.items() if reads} | of_the_api
