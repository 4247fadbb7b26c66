"""`reproduce publishing`: the medical table of document 003, and its KACLUK and ILP as printed."""

from functools import cache
from itertools import permutations

import numpy as np
import pytest

from papers.csv_and_example_tables import cell_includes_value
from papers.document_structure import ReproductionOptions
from papers.publishing import published_ilp as paper
from papers.publishing.adult_data import adult_specification
from papers.publishing.adult_experiments import (
    ILP,
    KACLUK,
    AnonymisedForm,
    run_experiments,
    specification_for,
)
from papers.publishing.document import Results, compute_results, document
from papers.publishing.medical_table_linkage import MEDICAL, MedicalReleases, make_releases
from papers.svg_figures import Figure
from privacy.anonymity.anonymisation_result import outcome_from_labels
from privacy.anonymity.information_loss import utility_matrix
from privacy.anonymity.searches.kacluk import CLUSTERS, k_means_clusters, kacluk_classes
from privacy.anonymity.searches.sensitive_value_clustering import absolute_distances, constrained_clusters
from privacy.anonymity.tables.table import Table
from tests.privacy.anonymity.sample_tables import adult_table

pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def medical_releases() -> MedicalReleases:
    return make_releases()


def test_betty_is_found_in_the_medical_table(medical_releases: MedicalReleases) -> None:
    assert medical_releases.plain.linked == {"Betty": [1], "Linda": [], "Bill": [], "Sam": [], "John": []}
    assert medical_releases.plain.identified_people == ["Betty"]
    assert MEDICAL[0][-1] == "AIDS"


def test_at_k_2_two_of_three_classes_tell_their_value_and_l_2_costs_419(
    medical_releases: MedicalReleases,
) -> None:
    ages = ["25..29", "25..29", "38..40", "26..37", "38..40", "26..37"]
    assert [row[0] for row in medical_releases.anonymous.rows] == ages
    assert medical_releases.anonymous.hasr == pytest.approx(2 / 3)
    assert medical_releases.anonymous.identified_people == []
    # Ages of 4, 11 and 2 of 15 years; of the ZIP all, all, and the three of six that begin with 13; no sex: nine cells.
    assert (round(medical_releases.diverse.ncp, 3), medical_releases.diverse.hasr) == (0.419, 0)
    assert medical_releases.alone == [3, 4, 5, 6]
    assert medical_releases.anonymous.ncp == pytest.approx((4 / 15 + 11 / 15 + 2 / 15 + 1 + 1 + 1 / 2) / 9)


def test_what_a_published_cell_can_be() -> None:
    fitting = [("25..29", "27"), ("13***", "13010"), ("*", "x"), ("F", "F")]
    assert all(cell_includes_value(cell, value) for cell, value in fitting)
    others = [("25..29", "30"), ("13***", "12300"), ("F", "M")]
    assert not any(cell_includes_value(cell, value) for cell, value in others)


@pytest.fixture(scope="module")
def matrix() -> np.ndarray:
    table = adult_table()
    return utility_matrix(table, adult_specification(weights="data"))[np.unique(table.sensitive[0].codes)]


def test_kacluk_clusters_the_values_in_three_by_the_l1_distance(matrix: np.ndarray) -> None:
    """A fixed point: each value is nearest to the mean of its own cluster. ILP has one weight a column."""
    weights = [0.1292, 0.1250, 0.1268, 0.0958, 0.1336, 0.1396, 0.1346, 0.1154]
    assert paper.column_weights(matrix).round(4).tolist() == weights
    labels = k_means_clusters(matrix, CLUSTERS)
    assert np.bincount(labels).tolist() == [7, 2, 5]
    centres = np.stack([matrix[labels == cluster].mean(axis=0) for cluster in range(CLUSTERS)])
    distances = np.abs(matrix[:, None] - centres).sum(axis=2)
    assert (distances.argmin(axis=1) == labels).all()


def test_ilps_clusters_have_l_values_at_the_least_l1_distance() -> None:
    """Values at 0, 1, 5, 6 in two clusters of two or more: all splits tried."""
    rows = np.array([[0.0, 0], [6.0, 1], [1.0, 0], [5.0, 1]])
    labels = constrained_clusters(rows, 2, absolute_distances)
    cost = min(
        sum(np.abs(rows[list(half)] - rows[list(half)].mean(axis=0)).sum() for half in (order[:2], order[2:]))
        for order in permutations(range(4))
    )
    centres = np.stack([rows[labels == label].mean(axis=0) for label in labels])
    assert np.abs(rows - centres).sum() == pytest.approx(cost)


@cache
def kacluk_labels(k: int) -> np.ndarray:
    return kacluk_classes(adult_table(), adult_specification(k=k, weights="data"), np.random.default_rng(1))


at_night = pytest.mark.night


@pytest.mark.parametrize(
    ("k", "ncp", "hasr", "discernibility"),
    [
        (2, 0.316, 0.165, None),
        (5, 0.722, 0.003, 241_290),
        pytest.param(10, 0.846, 0.002, None, marks=at_night),
        pytest.param(20, 0.915, 0.0, None, marks=at_night),
        (50, 0.944, 0.0, 1_936_988),
    ],
)
def test_kacluk_on_adult(k: int, ncp: float, hasr: float, discernibility: int | None) -> None:
    labels = kacluk_labels(k)
    lost = outcome_from_labels(adult_table(), labels).information_losses(
        adult_specification(k=k, weights="unit")
    )
    sizes = np.bincount(labels)
    assert lost.ncp == pytest.approx(ncp, rel=0.03)
    assert lost.hasr == pytest.approx(hasr, abs=0.002)
    assert discernibility is None or lost.discernibility == pytest.approx(discernibility, rel=0.01)
    assert sizes.min() >= k
    # In ceil(log2 k) rounds classes double; one of each cluster may take what is left without a partner.
    assert (sizes > 2 * k).sum() <= CLUSTERS


def test_kacluk_merges_within_the_clusters_of_the_values() -> None:
    labels = kacluk_labels(5)
    values = adult_table().sensitive[0].codes
    matrix = utility_matrix(adult_table(), adult_specification(weights="data"))[np.unique(values)]
    clusters = k_means_clusters(matrix, CLUSTERS)[np.unique(values, return_inverse=True)[1]]
    assert np.unique(np.stack([labels, clusters]), axis=1).shape[1] == labels.max() + 1


def first_adult_records(records: int = 300) -> Table:
    return adult_table().take_records(np.arange(records))


def test_distortion_gives_values_of_the_same_cluster_until_a_class_has_l() -> None:
    table, specification = first_adult_records(), specification_for(5)
    labels = np.arange(300) // 5
    codes = paper.diversify_sensitive_values(table, specification, labels, np.random.default_rng(1))
    before = table.sensitive[0].codes
    matrix = utility_matrix(table, adult_specification(weights="data"))[np.unique(before)]
    of_values = constrained_clusters(matrix, 3, absolute_distances).tolist()
    clusters = dict(zip(np.unique(before).tolist(), of_values, strict=True))
    for old, new in zip(before.tolist(), codes.tolist(), strict=True):
        assert clusters[old] == clusters[new]
    for label in range(60):
        old, new = (len(set(of[labels == label].tolist())) for of in (before, codes))
        assert new >= 3
        assert (before[labels == label] != codes[labels == label]).any() == (old < 3)


@pytest.fixture(scope="module")
def small() -> Results:
    run, table = ReproductionOptions(lambda _line: None), first_adult_records()
    return compute_results(table, run, *run_experiments(table, [2, 5], run.say))


def test_every_form_has_a_row_at_every_k(small: Results) -> None:
    at_k = [
        *(("bottom-up", "plain"), ("bottom-up", "diverse"), ("kacluk", "plain"), ("kacluk", "diverse")),
        *(("ilp", "plain"), ("ilp", "distorted"), ("ilp", "diverse"), ("tree", "diverse")),
    ]
    assert [(row.k, row.method, row.form) for row in small.rows] == [(k, *of) for k in (2, 5) for of in at_k]
    for row in small.rows:
        if row.form == "diverse":
            assert (row.lacking, row.homogeneous, row.falsified) == (0, 0, 0)
    plain, changed = small.method_rows(ILP)[1], small.method_rows(ILP, AnonymisedForm.DISTORTED)[1]
    assert (changed.ncp, changed.classes) == (plain.ncp, plain.classes)
    assert changed.falsified > 0 == changed.homogeneous
    assert set(small.seconds) == {(method, k) for method in ("bottom-up", KACLUK, ILP) for k in (2, 5)}


def test_the_page_holds_ratios_of_times(small: Results) -> None:
    """Two runs differ in nothing but their seconds."""
    slower = {key: 7.25 * value for key, value in small.seconds.items()}
    first, second = document(small), document(Results(**{**small.__dict__, "seconds": slower}))
    assert first.sections[0].tables[0].lines == second.sections[0].tables[0].lines
    rows = zip(first.judgements, second.judgements, strict=True)
    assert {one.quote.id for one, other in rows if one != other} <= {"003-seconds"}
    # Figure 5 is in multiples of KACLUK's time.
    times = (document.sections[0].figures[0] for document in (first, second))
    curves = (figure.curves for figure in times if isinstance(figure, Figure))
    before, after = ([curve.middle for curve in of] for of in curves)
    assert np.array(before) == pytest.approx(np.array(after))
