"""*samarati* finds exactly the k-minimal generalisations, and publishes the preferred one."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.information_loss import penalties
from privacy.anonymity.searches.full_domain import (
    Generalisation,
    find_satisfying_nodes,
    minimal_generalisations,
    samarati,
)
from privacy.anonymity.searches.lattice import build_lattice
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, strategies
from tests.privacy.anonymity.sample_tables import (
    METHODS,
    adult,
    adult_specification,
    csv_of,
    specified,
    table_of,
)

Levels = tuple[int, ...]


def random_table(rows: list[str], said: dict[str, Any], suppression: str) -> tuple[Table, Specification]:
    share = 0 if suppression == "0" else suppression
    specification = read_specification(json.dumps({**said, "suppression": share}), "spec", METHODS)
    return read_table(csv_of(rows, strategies.HEADER), "t.csv", specification), specification


@pytest.mark.proof
@given(strategies.rows(most=14), strategies.said(), st.sampled_from(["0", "0.1", "0.3", "0.6"]))
def test_all_minimal_generalisations_and_no_others(
    rows: list[str], said: dict[str, Any], suppression: str
) -> None:
    table, specification = random_table(rows, said, suppression)
    expected = brute.minimal(table, specification)
    found = minimal_generalisations(build_lattice(table), table, specification)
    assert found == [Generalisation(one.levels, len(one.left_out)) for one in expected]
    if not expected:
        with pytest.raises(InputError, match="allow more suppression, a smaller k, or weaker criteria"):
            samarati(table, specification)
        return
    outcome = samarati(table, specification)
    least, fewest, _levels = min(key(table, one) for one in expected)
    chosen = [one for one in expected if key(table, one)[0] == pytest.approx(least, abs=1e-12)]
    chosen = [one for one in chosen if len(one.left_out) == fewest]
    assert outcome.kept.tolist() in [sorted(one.shown) for one in chosen]
    ends = [list(zip(*pair, strict=True)) for pair in zip(*ends_of(outcome), strict=True)]
    assert ends in [[list(one.shown[record]) for record in sorted(one.shown)] for one in chosen]


def ends_of(outcome: Any) -> tuple[list[list[int]], list[list[int]]]:
    labels = outcome.partition.labels
    return outcome.partition.lows[labels].tolist(), outcome.partition.highs[labels].tolist()


def key(table: Table, node: brute.Generalised) -> tuple[float, int, Levels]:
    """Least NCP, a record that is left out being lost whole; then fewest left out, then the first level vector."""
    costs = [
        float(column.penalties(np.array([low]), np.array([high]))[0])
        for shown in node.shown.values()
        for column, (low, high) in zip(table.quasi, shown, strict=True)
    ]
    lost, everybody = len(node.left_out), len(node.shown) + len(node.left_out)
    return round((sum(costs) / len(table.quasi) + lost) / everybody, 12), lost, node.levels


MEDICAL = """\
race,birth,sex,zip,marital,disease
asian,64/04/12,F,94142,divorced,hypertension
asian,64/09/13,F,94141,divorced,obesity
asian,64/04/15,F,94139,married,chest pain
asian,63/03/13,M,94139,married,obesity
asian,63/03/18,M,94139,married,short breath
black,64/09/27,F,94138,single,short breath
black,64/09/27,F,94139,single,obesity
white,64/09/27,F,94139,single,chest pain
white,64/09/27,F,94141,widow,short breath
"""
"""Ciriani, De Capitani di Vimercati, Foresti and Samarati, k-anonymity, figure 1."""
RACE: dict[str, Any] = {"name": "race", "kind": "category"}
ZIP: dict[str, Any] = {"name": "zip", "kind": "category", "hierarchy": "prefixes"}
BIRTH: dict[str, Any] = {
    "name": "birth",
    "kind": "category",
    "hierarchy": {
        "63": {"63/03": ["63/03/13", "63/03/18"]},
        "64": {"64/04": ["64/04/12", "64/04/15"], "64/09": ["64/09/13", "64/09/27"]},
    },
}
MARITAL: dict[str, Any] = {
    "name": "marital",
    "kind": "category",
    "hierarchy": {"been married": ["divorced", "married", "widow"], "never married": ["single"]},
}
SEX: dict[str, Any] = {"name": "sex", "kind": "category"}


def medical(quasi: list[dict[str, Any]], **changed: Any) -> tuple[Table, Specification]:
    said = specified(quasi_identifiers=quasi, sensitive=["disease"], **changed)
    return read_table(csv_of(MEDICAL.splitlines()[1:], MEDICAL.splitlines()[0]), "t.csv", said), said


def levels_of(quasi: list[dict[str, Any]], **changed: Any) -> dict[Levels, int]:
    table, said = medical(quasi, **changed)
    return {one.levels: one.suppressed for one in minimal_generalisations(build_lattice(table), table, said)}


def test_the_medical_table_by_race_and_zip() -> None:
    """Races below `*`; ZIP codes below 9413* and 9414*, these below `*`: the lattice of figure 3, six nodes.

    As they are, six of nine records are alone. With races joined (1, 0) those of 94142 and 94138 are; with ZIP codes
    joined once (0, 1) a white one in each half; with both (1, 1) there are six and three, with ZIP codes gone (0, 2)
    five asians, two and two.
    """
    assert build_lattice(medical([RACE, ZIP])[0]).top == (1, 2)
    assert levels_of([RACE, ZIP], k=2, suppression="0.3") == {(0, 1): 2, (1, 0): 2}
    assert levels_of([RACE, ZIP], k=2) == {(0, 2): 0, (1, 1): 0}
    assert levels_of([RACE, ZIP], k=3) == {(1, 1): 0}
    assert levels_of([RACE, ZIP], k=3, suppression="0.5") == {(0, 2): 4, (1, 0): 4}
    assert levels_of([RACE, ZIP], k=4) == {(1, 2): 0}


def test_the_medical_table_by_all_its_columns() -> None:
    """Two of the nodes by hand.

    k = 3 with ZIP codes and marital status joined once, all else gone: the first two and the widow have been married
    in 9414*, the other married in 9413*, the three single ones never. k = 2 with birth by month: April 64 the first
    and third record, September 64 the second and the widow, March 63 the two men, September 64 the never married.
    """
    quasi = [RACE, BIRTH, SEX, ZIP, MARITAL]
    assert build_lattice(medical(quasi)[0]).top == (1, 3, 1, 2, 2)
    assert levels_of(quasi, k=3) == {(1, 3, 1, 1, 1): 0}
    assert levels_of(quasi, k=2) == {
        (0, 2, 0, 2, 2): 0,
        (1, 1, 0, 2, 1): 0,
        (1, 2, 0, 1, 2): 0,
        (1, 3, 1, 1, 1): 0,
    }


def test_what_is_published_of_the_medical_table() -> None:
    """Both nodes leave out two records; a joined race costs 1, and 9413* or 9414* half, having half of the codes."""
    table, said = medical([RACE, ZIP], k=2, suppression="0.3")
    found = samarati(table, said)
    assert found.kept.tolist() == [0, 1, 2, 3, 4, 5, 6]
    shown = [
        [column.cell_text(low, high) for column, low, high in zip(table.quasi, *ends, strict=True)]
        for ends in zip(*ends_of(found), strict=True)
    ]
    assert shown == [["asian", "9414*"]] * 2 + [["asian", "9413*"]] * 3 + [["black", "9413*"]] * 2
    assert penalties(found.table, found.partition).mean() == 0.25


def test_a_class_that_violates_another_criterion_is_left_out() -> None:
    """Aa has one illness. With its people left out nothing must be generalised."""
    rows = ["30,poor,Aa,flu", "30,poor,Aa,flu", "30,poor,Cee,flu", "30,poor,Cee,cold"]
    changed: dict[str, Any] = {"k": 2, "suppression": "0.5", "l": {"kind": "distinct", "value": 2}}
    table = table_of(rows)
    assert minimal_generalisations(build_lattice(table), table, specified(**changed)) == [
        Generalisation((0, 0, 0), 2)
    ]
    # Of all a quarter has a cold, of Cee half; but what is published is Cee alone.
    near = specified(**{**changed, "l": None, "max_frequency": "0.5", "t": "0.2"})
    assert minimal_generalisations(build_lattice(table), table, near) == [Generalisation((0, 0, 0), 2)]


def test_closeness_is_asked_of_what_is_published() -> None:
    """Ages 1 and 2 are alone and left out. Of all six half have the flu, of the four that stay a quarter.

    Of age 3 nobody has it, of age 4 half: 1/2 and 0 from the shares of all, 1/4 and 1/4 from those of the four.
    """
    rows = [
        f"{age},poor,Aa,{ill}"
        for age, ill in zip("123344", ["flu"] * 2 + ["gout"] * 3 + ["flu"], strict=True)
    ]
    table = table_of(rows)
    near, nearer = (specified(k=2, suppression="0.4", t=share) for share in ("0.25", "0.24"))
    assert minimal_generalisations(build_lattice(table), table, near) == [Generalisation((0, 0, 0), 2)]
    assert minimal_generalisations(build_lattice(table), table, nearer) == [
        Generalisation(one.levels, len(one.left_out)) for one in brute.minimal(table, nearer)
    ]
    assert brute.generalised(table, nearer, (0, 0, 0)) is None


def test_of_equal_losses_the_first_level_vector_is_preferred() -> None:
    quasi = [{"name": name, "kind": "category"} for name in ("wealth", "town")]
    said = specified(quasi_identifiers=quasi, k=2)
    table = table_of([f"1,{wealth},{town},flu" for wealth in "ab" for town in "cd"], said)
    levels = [one.levels for one in minimal_generalisations(build_lattice(table), table, said)]
    assert levels == [(0, 1), (1, 0)]
    assert samarati(table, said).partition.lows.tolist() == [[0, 0], [1, 0]]


def test_too_large_a_lattice_is_refused() -> None:
    quasi = [{"name": f"q{number}", "kind": "category"} for number in range(17)]
    said = specified(quasi_identifiers=quasi, sensitive=[])
    names = ",".join(column["name"] for column in quasi)
    table = read_table(csv_of([",".join("a" * 17), ",".join("b" * 17)], names), "t.csv", said)
    with pytest.raises(InputError) as refused:
        samarati(table, said)
    assert str(refused.value) == (
        "quasi_identifiers: 131072 generalisations, more than 100000: take fewer columns or levels, or another method"
    )


@pytest.mark.proof
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_binary_search_decides_every_node(shape: list[int], data: st.DataObject) -> None:
    node = st.tuples(*(st.integers(0, length - 1) for length in shape))
    lowest = data.draw(st.lists(node, max_size=4))
    asked: list[Levels] = []

    def holds(levels: Levels) -> bool:
        asked.append(levels)
        return any(all(low <= high for low, high in zip(one, levels, strict=True)) for one in lowest)

    found = find_satisfying_nodes(tuple(shape), holds)
    assert len(asked) == len(set(asked))
    assert all(bool(found[levels]) == holds(levels) for levels in np.ndindex(*shape))


@pytest.mark.night
@pytest.mark.proof
def test_adult_with_two_in_a_hundred_left_out() -> None:
    """Of the 5,760 generalisations a fraction is looked at."""
    table, said = adult(), adult_specification(k=10, suppression="0.02")
    lattice = build_lattice(table)
    assert (lattice.top, lattice.size) == ((7, 4, 2, 1, 1, 1, 1, 2), 5760)
    assert len(minimal_generalisations(lattice, table, said)) == 311
