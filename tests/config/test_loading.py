"""What a start loads, and that it does not look for garbage among it: that took as long as loading it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import CheckMessage
from django.core.checks.urls import check_resolver, check_url_namespaces_unique
from django.urls import URLResolver, get_resolver

from tests import servers

pytestmark = pytest.mark.page
HEAVY = {
    "celery",
    "cryptography",
    "fontTools",
    "jinja2",
    "lxml",
    "matplotlib",
    "mlxtend",
    "ninja",
    "numba",
    "onelogin",
    "openpyxl",
    "pandas",
    "PIL",
    "pyarrow",
    "pydantic",
    "pyreadstat",
    "scipy",
    "sklearn",
    "weasyprint",
}
"""What only workers or single pages need."""
LOAD = """
import gc, json, sys
before = gc.get_stats()[2]["collections"]
import config.wsgi
print(json.dumps([gc.get_stats()[2]["collections"] - before, gc.get_freeze_count(), gc.isenabled()]))
print("reports.pages.views" in sys.modules, *{HEAVY} & sys.modules.keys())
"""
LOADED = """
import sys
from django.core.management import call_command
call_command("check")
print(sorted({name.partition(".")[0] for name in sys.modules} & {"ninja", "pydantic"}))
"""


@pytest.mark.night
def test_what_a_start_loads_is_never_looked_through_and_later_garbage_is_collected(tmp_path: Path) -> None:
    words = [sys.executable, "-W", "ignore:No directory at", "-c", LOAD.replace("{HEAVY}", str(HEAVY))]
    env = servers.environment(VAR=str(tmp_path))
    done = subprocess.run(words, cwd=servers.ROOT, env=env, check=True, capture_output=True, text=True)
    numbers, modules = done.stdout.splitlines()
    searches, kept, enabled = json.loads(numbers)
    assert searches == 0
    assert kept > 100_000, "the objects of the product"
    assert enabled
    assert modules == "True", "the pages, before the processes fork, and nothing heavy"


def test_the_checks_of_a_start_load_no_library_of_the_api(tmp_path: Path) -> None:
    env = servers.environment(VAR=str(tmp_path))
    assert servers.manage(env, "shell", "--verbosity=0", "-c", LOADED).splitlines()[-1] == "[]"


def test_django_finds_nothing_wrong_with_any_address_the_apis_included() -> None:
    def wrong(resolver: URLResolver) -> list[CheckMessage]:
        inner = [each for each in resolver.url_patterns if isinstance(each, URLResolver)]
        leaves = [each for each in resolver.url_patterns if each not in inner]
        found = [message for each in leaves for message in check_resolver(each)]
        return found + [message for each in inner for message in wrong(each)] + resolver.pattern.check()

    assert wrong(get_resolver()) == []
    assert check_url_namespaces_unique(None) == []
