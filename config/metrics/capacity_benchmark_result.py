"""Stores how many visits a second this machine answered in the last `./run bench capacity`, for operators."""

import json
from datetime import date
from pathlib import Path

from django.conf import settings
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from config.start.start_preparation import write_atomically

FILE = "capacity.json"


def store_capacity(var: Path, visits_per_second: int, day: date) -> None:
    var.mkdir(parents=True, exist_ok=True)
    content = {"visits_per_second": visits_per_second, "measured": day.isoformat()}
    write_atomically(var / FILE, json.dumps(content) + "\n")


def capacity_fact() -> tuple[str, int] | None:
    """Returns the measured visits a second, as a label and a number for operators; None if nothing was measured."""
    try:
        content = json.loads((settings.VAR / FILE).read_text())
        day, number = date.fromisoformat(content["measured"]), int(content["visits_per_second"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    label = _("Visits a second that one web process answers, measured on %(day)s")
    return label % {"day": date_format(day)}, number
