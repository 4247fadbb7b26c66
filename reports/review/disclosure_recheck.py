"""Checks that the combinations of answers a run used may still be published: other disclosures may have come
since.
"""

from django.utils.translation import gettext as _

from intake.disclosure import ledger
from intake.disclosure.table_disclosure_decision import decide_disclosable_tables
from mining.disclosure.verdict import read_stored_cells, read_stored_tables
from runs.models import Run
from runs.run_mining import question_sets_beyond_itemsets
from surveys.lifecycle.opening import load_frozen_plan
from surveys.questionnaire.problems_and_refusals import NotAllowed


class DisclosureChanged(NotAllowed):
    """Raised if less may be published now than at the time of the run, which must be repeated."""


def require_same_disclosure(run: Run) -> None:
    """Raises DisclosureChanged if fewer results of the run may be published now than when it was made. Needs the lock
    of the survey, except for a preview."""
    if run.verdict is None:
        raise DisclosureChanged(no_stored_decision_text())
    if ledger.last_row_id(run.survey) == run.head:
        return
    tables = read_stored_tables(run.verdict)
    again = decide_disclosable_tables(
        run.survey,
        run.mined_design,
        run.through,
        run.population,
        lambda wanted: {table: tables[table] for table in wanted if table in tables},
        run.search_parameters.max_size,
        question_sets_beyond_itemsets(run, load_frozen_plan(run.survey)),
    )
    counts = {place: cells.counts for place, cells in read_stored_cells(run.verdict).items()}
    if again.with_place_cell_verdict(counts).as_json() != run.verdict:
        raise DisclosureChanged(
            _(
                "More was told of this survey since %(run)s, and part of its list may no longer be told: run it again."
            )
            % {"run": run}
        )


def no_stored_decision_text() -> str:
    """Returns the text of the refusal of an old run, which has not stored which combinations of answers it used."""
    return _(
        "This run has not stored what it was made of, so it can be read and not published: run it again."
    )
