import numpy as np
import pytest
from pytest_django.fixtures import Settings

from jobs.models import State
from mining.counting import Histogram, counter_of
from mining.engines import bitmap
from mining.models import Histogram as HistogramRow, Run
from mining.runs import keeping
from people.models import Person
from surveys.intake import batches
from surveys.models import Survey
from tests.mining.runs import sealed
from tests.mining.runs.conftest import Ran


def test_a_run_stores_what_the_search_finds(survey: Survey, ran: Ran) -> None:
    run = ran()
    assert run.state == State.DONE
    columns = [opened.columns for opened in batches.read(survey, 2)]
    found = bitmap.find(counter_of(sealed.small(), columns, keeping.kernels()), run.wanted)
    supports = found.frequent.supports
    rows = list(run.itemsets.all())
    assert [row.item_numbers for row in rows] == [
        tuple(number for number in row if number >= 0) for row in supports.itemsets.tolist()
    ]
    assert [row.support for row in rows] == supports.support.tolist()
    assert [row.base for row in rows] == supports.base.tolist()
    assert [rule.sides for rule in run.rules.all()] == [
        found.rules.sides(row) for row in range(len(found.rules))
    ]
    assert [rule.confidence for rule in run.rules.all()] == found.rules.confidence.tolist()
    assert (run.itemset_count, run.rule_count) == (len(supports), len(found.rules))


def test_records_are_counted_group_by_group(survey: Survey, ran: Ran) -> None:
    run = ran()
    assert run.records == 600
    disguised = sum(
        int(np.bitwise_count(opened.columns.disguised).sum()) for opened in batches.read(survey, 2)
    )
    assert (run.opened, run.disguised) == (600 - disguised, disguised)
