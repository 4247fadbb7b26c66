"""The attacks of documents 001 and 003 find what the documents find."""

import io
from typing import Any

import numpy as np
import pytest

from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.risk.attacks import keeps_criteria_without_identifiers, run_attacks
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from tests.privacy.anonymity import sample_tables as samples

TWO = {"kind": "distinct", "value": 2}
pytestmark = pytest.mark.proof


def anonymise(text: str, said: Specification) -> AnonymisedTable:
    return anonymize(read_table(io.BytesIO(text.encode()), "in.csv", said), said, samples.After(10))


def groups(outcome: AnonymisedTable) -> set[frozenset[int]]:
    labels = outcome.partition.labels
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def test_one_person_of_the_register_is_found_in_the_medical_table_and_nobody_in_the_2_anonymous_one() -> None:
    said = samples.medical_specification(k=1)
    register = samples.read_published(samples.REGISTER, said, complete=False)
    answer = run_attacks(samples.read_published(samples.MEDICAL, said), said, register=register, named=True)
    betty = {"person": 1, "row": 1, "name": "Betty", "values": {"problem": "AIDS"}}
    assert answer["register"]["people"] == 5
    assert answer["register"]["found"] == {"count": 1, "people": [betty]}
    said = samples.medical_specification(k=2)
    outcome = anonymise(samples.MEDICAL, said)
    # Rows from 0: ages 25 and 29, 37 and 26, 38 and 40.
    assert groups(outcome) == {frozenset({0, 1}), frozenset({3, 5}), frozenset({2, 4})}
    answer = run_attacks(
        samples.read_published(samples.published_text(outcome), said), said, register=register, named=True
    )
    assert keeps_criteria_without_identifiers(answer)
    assert answer["register"]["found"]["count"] == 0
    # Flu twice and bronchitis twice: two of three classes tell the problem of whoever is in them.
    told = {"classes": 2, "share": 2 / 3, "records": 4, "rows": [3, 4, 5, 6]}
    assert answer["homogeneity"]["problem"] == told


def test_2_diversity_of_the_medical_table_loses_what_the_document_says() -> None:
    said = samples.medical_specification(k=2, l=TWO)
    outcome = anonymise(samples.MEDICAL, said)
    assert outcome.information_losses(said).ncp == pytest.approx(0.419, abs=0.0005)
    answer = run_attacks(samples.read_published(samples.published_text(outcome), said), said)
    assert answer["homogeneity"]["problem"]["classes"] == 0


def test_both_files_together_leave_each_of_the_four_men_alone() -> None:
    said = samples.medical_specification(k=2)
    first = samples.read_published(samples.published_text(anonymise(samples.MEDICAL, said)), said)
    lines = samples.published_text(
        anonymise(samples.MEDICAL, samples.medical_specification(k=2, l=TWO))
    ).splitlines()
    # In another order, so that only what the rows show links them.
    shuffled = "\n".join([lines[0], *(lines[row] for row in (3, 1, 6, 2, 5, 4))])
    (answer,) = run_attacks(first, said, others={"other.csv": samples.read_published(shuffled, said)})[
        "beside"
    ]
    assert answer["below"] == {"records": 4, "rows": [3, 4, 5, 6]}
    assert (answer["alone"], answer["unlinked"], answer["same_order"]) == (4, 0, False)


def test_two_of_five_classes_of_the_eleven_patients_are_homogeneous_and_five_criteria_join_them() -> None:
    answer = run_attacks(
        samples.read_published(samples.PATIENTS, samples.patients(k=2)), samples.patients(k=2)
    )
    assert keeps_criteria_without_identifiers(answer)
    assert (answer["classes"], answer["criteria"]["k"]["reached"]) == (5, 2)
    told = {"classes": 2, "share": 2 / 5, "records": 4, "rows": [3, 4, 10, 11]}
    assert answer["homogeneity"]["problem"] == told
    diverse = [TWO, {"kind": "entropy", "value": 2}, {"kind": "recursive", "value": 2, "c": "2"}]
    asked: list[dict[str, Any]] = [{"t": "0.4"}, {"rho": ["0.2", "0.6"]}, *({"l": each} for each in diverse)]
    joined = {frozenset(rows) for rows in (range(2), range(2, 6), range(6, 11))}
    for criteria in asked:
        said = samples.patients(k=2, **criteria)
        answer = run_attacks(samples.read_published(samples.PATIENTS, said), said)
        assert not keeps_criteria_without_identifiers(answer), criteria
        # ZIP 0213* is a value of this table, not a prefix.
        outcome = anonymise(samples.PATIENTS, said)
        assert groups(outcome) == joined, criteria
        # Years 1964..1967: (4 x 1/3 + 5 x 1) / 11 rows / 4 columns.
        assert outcome.information_losses(said).ncp == pytest.approx((4 / 3 + 5) / 44), criteria
        answer = run_attacks(samples.read_published(samples.published_text(outcome), said), said)
        assert keeps_criteria_without_identifiers(answer), criteria
