"""The plain tables that a run has stored."""

from mining.disclosure.plain_tables import PlainTable
from mining.disclosure.small_cells import Tables
from runs.models import Run


def tables_of(run: Run) -> Tables:
    """The plain tables of a run, by their questions."""
    tables = map(PlainTable.from_json, run.findings["plain_tables"])
    return {table.questions: table for table in tables}
