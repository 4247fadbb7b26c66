"""A report beside the releases of the survey: tables of plain answers may not divide a class of a release by a few."""

from django.utils.translation import gettext as _

from intake.disclosure import ledger
from intake.disclosure.canonical import has_few, read_disguised, unpacked
from intake.disclosure.ledger import Telling
from intake.disclosure.models import Disclosure, Door
from runs.models import Run
from surveys.refused import Refused


def check_releases(run: Run, telling: Telling) -> None:
    """Refuse tables that, beside a release that was told, would show fewer than ten people."""
    released = ledger.told(run.survey, Door.RELEASE)
    if not released:
        return
    records = read_disguised(run.survey, max(run.through, *(one.last_batch for one in released)))
    names = [question.name for question in run.mined.questions]
    proposed = Disclosure(last_batch=telling.last_batch, tables=telling.tables)
    for questions, cells in records.cells(proposed):
        for one in released:
            if has_few(records.classes(one.last_batch, unpacked(one.classes)), cells):
                raise Refused(
                    _(
                        "Together with %(release)s, a table of %(tables)s would show fewer than ten people. Publish "
                        "without the classes of these questions, or withdraw what you do not need and start again."
                    )
                    % {"release": one.title, "tables": ", ".join(names[place] for place in questions)}
                )
