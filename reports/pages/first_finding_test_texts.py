"""Writes the result of a test of first findings as text: how often simulated reports begin with a false sentence."""

from typing import Any

import numpy as np
from django.utils.translation import gettext as _, ngettext

from mining.inference.intervals import exact_interval
from reports.models import FrontTest
from reports.review.report_page_data import ReportPage
from reports.simulated_reports.first_finding_test_job import MOST, SECONDS
from ui.number_format import format_count, format_percent


def first_finding_test_context(report: ReportPage) -> dict[str, Any]:
    """Returns the template context of the test of first findings: its job (None if never started), sentences on its
    result, and its limits of number and time."""
    job = FrontTest.objects.filter(run=report.review.run_id).first()
    found = job.result if job else {}
    return {
        "front_test": job,
        "front_test_says": [
            _nothing_to_find_text(found["alike"]),
            _simulated_people_result_text(found["simulated"]),
        ]
        if found
        else [],
        "front_test_most": MOST,
        "front_test_seconds": int(SECONDS),
    }


def _nothing_to_find_text(counts: dict[str, int]) -> str:
    words = ngettext(
        "Of %(surveys)s survey with nothing in it %(false)s would begin with a false sentence: %(share)s.",
        "Of %(surveys)s surveys with nothing in them %(false)s would begin with a false sentence: %(share)s.",
        counts["surveys"],
    )
    return words % _rate_values(counts, "false")


def _simulated_people_result_text(counts: dict[str, int]) -> str:
    words = ngettext(
        "Of %(surveys)s survey of the simulated people %(true)s would say something true that goes beyond shares: "
        "%(share)s; %(false)s would begin with a false sentence.",
        "Of %(surveys)s surveys of the simulated people %(true)s would say something true that goes beyond shares: "
        "%(share)s; %(false)s would begin with a false sentence.",
        counts["surveys"],
    )
    return words % _rate_values(counts, "true")


def _rate_values(counts: dict[str, int], name: str) -> dict[str, str]:
    low, high = (
        float(end[0]) for end in exact_interval(np.array([counts[name]]), np.array([counts["surveys"]]))
    )
    share = _("%(share)s (95 %% interval %(low)s to %(high)s)") % {
        "share": format_percent(counts[name] / counts["surveys"]),
        "low": format_percent(low),
        "high": format_percent(high),
    }
    return {key: format_count(n) for key, n in counts.items()} | {"share": share}
