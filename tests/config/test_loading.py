"""What a start loads, and that it does not look for garbage among it: that took as long as loading it."""

import json
from pathlib import Path

import pytest
from django.core.checks import CheckMessage
from django.core.checks.urls import check_custom_error_handlers, check_resolver, check_url_namespaces_unique
from django.urls import URLResolver, get_resolver

from tests import servers
from tests.config.conftest import python

pytestmark = pytest.mark.page
HEAVY = {
    *("celery", "cryptography", "fontTools", "jinja2", "lxml", "matplotlib", "mlxtend", "ninja", "numba"),
    *("onelogin", "openpyxl", "pandas", "PIL", "pyarrow", "pydantic", "pyreadstat", "scipy", "sklearn"),
    "weasyprint",
}
"""What only workers or single pages need."""
LOAD = """
import gc, json, sys
before = gc.get_stats()[2]["collections"]
import config.wsgi
print(json.dumps([gc.get_stats()[2]["collections"] - before, gc.get_freeze_count(), gc.isenabled()]))
print("reports.templatetags.reports" in sys.modules)
print("reports.pages.reader_views" in sys.modules, *{HEAVY} & sys.modules.keys())
"""
LOADED = """
import sys
from django.core.management import call_command
call_command("check")
print("config.urls" in sys.modules)
print(sorted({name.partition(".")[0] for name in sys.modules} & {"ninja", "pydantic"}))
"""
PAGES = """
import sys
import config.urls
from jobs import job_queue
print(job_queue.is_queue_reachable())
readers = {"importing.limesurvey", "importing.questionnaire_file", "importing.xlsform"}
late = readers | {"celery", "kombu", "numpy.random", "segno"}
print(*late & sys.modules.keys())
"""


@pytest.mark.night
def test_start_freezes_loaded_modules_and_later_garbage_is_collected(tmp_path: Path) -> None:
    words = ["-W", "ignore:No directory at", "-c", LOAD.replace("{HEAVY}", str(HEAVY))]
    done = python(*words, env=servers.environment(VAR=str(tmp_path)), check=True)
    numbers, tags, modules = done.stdout.splitlines()
    assert tags == "True", "what their templates load"
    searches, kept, enabled = json.loads(numbers)
    assert searches == 0
    assert kept > 100_000, "the objects of the product"
    assert enabled
    assert modules == "True", "the pages, before the processes fork, and nothing heavy"


def loaded_by(code: str, tmp_path: Path) -> list[str]:
    env = servers.environment(VAR=str(tmp_path), DJANGO_SETTINGS_MODULE="config.settings")
    return python("-c", f"import django\ndjango.setup()\n{code}", env=env, check=True).stdout.splitlines()


def test_start_checks_load_no_page_and_no_api_library(tmp_path: Path) -> None:
    assert loaded_by(LOADED, tmp_path)[-2:] == ["False", "[]"]
    env = servers.environment(VAR=str(tmp_path))
    assert servers.manage(env, "shell", "--verbosity=0", "-c", LOADED).splitlines()[-1] == "[]"


def test_pages_and_health_load_no_upload_reader_celery_or_random_numbers(tmp_path: Path) -> None:
    assert loaded_by(PAGES, tmp_path) == ["True", ""]


def test_django_checks_pass_for_every_url_with_the_api() -> None:
    def misconfigured_check(resolver: URLResolver) -> list[CheckMessage]:
        inner = [each for each in resolver.url_patterns if isinstance(each, URLResolver)]
        leaves = [each for each in resolver.url_patterns if each not in inner]
        found = [message for each in leaves for message in check_resolver(each)]
        return (
            found
            + [message for each in inner for message in misconfigured_check(each)]
            + resolver.pattern.check()
        )

    assert misconfigured_check(get_resolver()) == []
    assert check_url_namespaces_unique(None) == []
    assert check_custom_error_handlers(None) == []
