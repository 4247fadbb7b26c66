"""Published tables by a plain question: what left of a survey through reports, and what they tell beside releases."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext as _

from intake.recordfiles.canonical import few_together, plain_places, read_records
from reports.models import Publication
from runs.models import Run
from surveys.departures import Departure, departures
from surveys.models import Survey
from surveys.refused import Refused


def published_tables(survey: Survey) -> Iterator[Departure]:
    """Each question by whose answers a publication is divided, also of withdrawn ones."""
    rows = Publication.objects.filter(run__survey=survey).select_related("run").order_by("pk")
    for row in rows.defer("rules"):
        for question in sorted(divided_by(row)):
            words = _("a published table by %(question)s") % {"question": question}
            key = f"report {row.run_id} {question}"
            yield Departure(key, words, row.when, row.run.through, exact=(question,))


def divided_by(publication: Publication) -> set[str]:
    """The plain questions whose classes the publication shows."""
    content = publication.content
    tables = [*content["groups"], *(table for one in content.get("numbers", []) for table in one["groups"])]
    return {table["question"] for table in tables}


def check_releases(run: Run, groups_of: Collection[str]) -> None:
    """Refuse classes of a question that, beside a release that left, would show fewer than ten people."""
    released = [one for one in departures(run.survey) if one.classes]
    design = run.content
    plain = {design.questions[place].name for place in plain_places(design)}
    asked = sorted(plain & set(groups_of))
    if not released or not asked:
        return
    records = read_records(run.survey, max(run.through, *(one.through for one in released)))
    told = {one.key: records.labels(one) for one in released}
    for question in asked:
        table = records.labels(Departure("", "", run.created, run.through, exact=(question,)))
        for one in released:
            if few_together(told[one.key], table):
                raise Refused(
                    _(
                        "Together with %(release)s, a table by %(question)s would show groups of fewer than 10 "
                        "people. Publish without the classes of this question."
                    )
                    % {"release": one.what, "question": question}
                )
