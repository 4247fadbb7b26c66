"""A search ends soon after its flag is set: with a result at any moment where it has one, else with none."""

from dataclasses import replace

import numpy as np
import pytest

from privacy.anonymity.methods import anonymize
from privacy.anonymity.searches.bottom_up_and_k_member import bottom_up, cluster_records
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.tree import TreeSearch
from tests.privacy.anonymity import kernels
from tests.privacy.anonymity.sample_tables import adult, adult_specification

pytestmark = pytest.mark.proof

STOP = np.ones(1, np.int64)


def test_a_tree_that_is_stopped_at_once_has_classes_that_keep_the_criteria() -> None:
    said = replace(adult_specification(k=10), cell_suppression=500)
    outcome = anonymize(adult(), said, kernels.stop, stop=STOP)
    assert outcome.partition.class_count == 1
    # No number of tries gives these classes again.
    assert outcome.tries is None


def test_a_search_that_is_stopped_makes_no_more_tries() -> None:
    flag = np.zeros(1, np.int64)
    search = TreeSearch(prepare_kernel_arrays(adult(), adult_specification(k=10), flag), 1)
    before = search.labels.copy()

    def stop(_tries: int, _loss: float) -> bool:
        flag[0] = 1
        return False

    assert search.improve(stop) == 0
    assert (search.labels == before).all()


def test_what_has_no_result_yet_ends_without_one() -> None:
    """Over all records both are quadratic: they would take seconds."""
    prepared = prepare_kernel_arrays(adult(), adult_specification(k=10), STOP)
    assert not cluster_records(prepared).any()
    assert len(np.unique(bottom_up(prepared))) == adult().records
