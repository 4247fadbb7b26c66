"""How often the report of a rehearsal would say something false: what its job has found, in words."""

from typing import Any

import numpy as np
from django.utils.translation import gettext as _, ngettext

from mining.inference.intervals import exact_interval
from reports.models import FrontTest
from reports.review.report_page import ReportPage
from reports.simulated_fronts.front_test_job import MOST, SECONDS
from ui.numbers import format_count, format_percent


def context(report: ReportPage) -> dict[str, Any]:
    """For the template; `front_test` is the job, if there is one."""
    job = FrontTest.objects.filter(run=report.review.run_id).first()
    found = job.result if job else {}
    return {
        "front_test": job,
        "front_test_says": [_of_alike(found["alike"]), _of_simulated(found["simulated"])] if found else [],
        "front_test_most": MOST,
        "front_test_seconds": int(SECONDS),
    }


def _of_alike(many: dict[str, int]) -> str:
    words = ngettext(
        "Of %(surveys)s survey with nothing in it %(false)s would begin with a false sentence: %(share)s.",
        "Of %(surveys)s surveys with nothing in them %(false)s would begin with a false sentence: %(share)s.",
        many["surveys"],
    )
    return words % _values(many, "false")


def _of_simulated(many: dict[str, int]) -> str:
    words = ngettext(
        "Of %(surveys)s survey of the simulated people %(true)s would say something true that goes beyond shares: "
        "%(share)s; %(false)s would begin with a false sentence.",
        "Of %(surveys)s surveys of the simulated people %(true)s would say something true that goes beyond shares: "
        "%(share)s; %(false)s would begin with a false sentence.",
        many["surveys"],
    )
    return words % _values(many, "true")


def _values(many: dict[str, int], name: str) -> dict[str, str]:
    low, high = (float(end[0]) for end in exact_interval(np.array([many[name]]), np.array([many["surveys"]])))
    share = _("%(share)s (95 %% interval %(low)s to %(high)s)") % {
        "share": format_percent(many[name] / many["surveys"]),
        "low": format_percent(low),
        "high": format_percent(high),
    }
    return {key: format_count(n) for key, n in many.items()} | {"share": share}
