"""Collects the metadata in every file: the methods that computed the numbers, and the errors their intervals
do not cover.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mining.nodes.report_nodes import FORMAT
from reports.exports import estimation_formulas
from reports.texts.design_sentences import say, true_sentences
from surveys.permission import Basis, Role

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


def report_metadata(report: "ReportPage") -> dict[str, Any]:
    about, publication = report.about, report.publication
    how = estimation_formulas.estimator_formulas(
        about.estimator,
        numbers=bool(report.content.numbers),
        has_disguise=report.design.has_disguise,
        offers_choice=report.design.offers_choice,
    )
    facts: dict[str, Any] = {
        "format": FORMAT,
        "title": report.title,
        **{"opened" if name == "n_open" else name: value for name, value in asdict(about).items()},
        "k": about.k,
        "formulas": {**how, **estimation_formulas.study_formulas(report.content.study)},
        "not_covered": [say("intervals-do-not-cover", report), *true_sentences("not-covered", report)],
        "check": {
            "state": str(report.check_status.state),
            "says": report.check_sentence,
            "rows": report.checked_digest,
        },
    }
    if report.content.weighted:
        facts["weighted_to"] = report.content.weighted.margins
        how["weighted"] = estimation_formulas.WEIGHTED
    if report.has_models:
        how["models"] = estimation_formulas.MODELS
    if publication:
        facts["published"] = {
            "when": publication.when.isoformat(timespec="seconds"),
            # A file travels: it names a role, as the public page does, and no person.
            "by": str(Role.OWNER if publication.basis == Basis.OWNER else Role.REVIEWER),
        }
        if report.bases_of_decisions - {Basis.ROLE}:
            facts["published"]["review"] = say("review", report)
    return facts
