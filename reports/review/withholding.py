"""The verdict about a report: what may be told of its run after all that the ledger says was told before."""

from collections.abc import Iterator, Mapping, Sequence

from intake.disclosure import ledger, open_choice
from intake.disclosure.canonical import hidden_in
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.records import finishing_of, is_ledgered
from mining.disclosure.open_tables import told_questions
from mining.disclosure.plain_tables import PlainTable, plain_places
from mining.disclosure.small_cells import EarlierPublication, SmallCells, Tables
from mining.disclosure.withhold import Verdict
from mining.document.codec import load
from mining.document.names import Names
from mining.document.places import PlaceNode
from mining.studies.weights import margin_questions
from reports.review.hidden_cells import hidden_of
from reports.review.plain_counts import tables_of
from runs.models import Run
from runs.weighting import margins_of


def verdict_of(
    run: Run,
    earlier: Sequence[Disclosure],
    names: Names,
    more: Mapping[int, PlainTable] | None = None,
) -> Verdict:
    """After the `earlier` reports and models of the survey; `more`: by last batch a table that runs have not stored."""

    def with_more(tables: Tables, last_batch: int) -> Tables:
        table = (more or {}).get(last_batch)
        return {**tables, table.questions: table} if table else tables

    before = [
        EarlierPublication(
            with_more(tables_told(one), one.last_batch), hidden_in(one), same=one.last_batch == run.through
        )
        for one in earlier
    ]
    small = SmallCells(names.design, with_more(tables_of(run), run.through), before)
    margins = margin_questions(margins_of(run.margins, names.design)) if run.margins else ()
    verdict = Verdict(names, small, open_questions(run, small), margins)
    return Verdict(names, small, verdict.open_questions, margins, dict(hidden_cells(run, verdict)))


def open_questions(run: Run, small: SmallCells) -> frozenset[int]:
    """The plain questions that may be told of people who chose no disguise."""
    if not is_ledgered(run.survey):
        return frozenset(plain_places(small.design))
    if run.population != Population.USED or not run.content.has_group_open:
        return frozenset()
    tables = open_choice.tables_of(finishing_of(run.survey).kept)
    return told_questions(small.design, tables, small.hidden)


def hidden_cells(run: Run, verdict: Verdict) -> Iterator[tuple[str, set[int]]]:
    """By place of which something may be told, its cells that are withheld."""
    for row in run.findings.get("places") or []:
        node = load(PlaceNode, row)
        place = verdict.naming.place(node.question)
        if node.is_known and verdict.may_tell_of([place]):
            regions = verdict.small.hidden.get(place, frozenset())
            yield node.question, hidden_of(run, node, verdict.law(node.question), place, regions)


def tables_told(disclosure: Disclosure) -> Tables:
    tables = (load(PlainTable, table) for table in disclosure.tables["tables"])
    return {table.questions: table for table in tables}


def earlier_disclosures(run: Run) -> list[Disclosure]:
    """The reports and models that were told before the report of this run, also of withdrawn ones."""
    told = ledger.told(run.survey, Door.REPORT, Door.MODEL)
    return [one for one in told if one.key != f"run {run.pk}"]
