"""Full-domain generalisation: levels and lattice; *samarati* finds exactly the k-minimal generalisations and publishes
the preferred one, *datafly* raises the column with the most values."""

import csv
import io
import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from privacy.anonymity.information_loss import certainty_penalties_by_class
from privacy.anonymity.searches.full_domain import (
    Suppression,
    anonymize_by_datafly,
    anonymize_by_samarati,
    find_satisfying_nodes,
    minimal_generalisations,
)
from privacy.anonymity.searches.lattice import Lattice, build_lattice, column_hierarchy, level_domains
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables import hierarchies
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Codes, Table, read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, sample_tables as samples
from tests.privacy.questionnaires import refusal

Levels = tuple[int, ...]
NO_LEVEL = "allow more suppression, a smaller k, or weaker criteria"
AGE_AND_TOWN = [samples.QUASI[0], samples.QUASI[2]]


def shown_of(table: Table, lows: NDArray[Any], highs: NDArray[Any]) -> list[list[str]]:
    ends = zip(lows.tolist(), highs.tolist(), strict=True)
    return [[of.cell_text(*pair) for of, *pair in zip(table.quasi, *both, strict=True)] for both in ends]


# --- levels, lattice and distance vectors


def test_hierarchies_by_kind() -> None:
    age, wealth, town = (column_hierarchy(column) for column in samples.table_of().quasi)
    # 30 to 47 is halved at 38.5, then on both sides.
    assert age.labels == ("30", "31", "45", "47", "30..31", "45..47", "*")
    assert wealth.labels == ("poor", "middling", "rich", "poor..middling", "*")
    assert town.labels[4:] == ("North", "South", "*")


def test_the_lattice_of_a_table() -> None:
    lattice = build_lattice(samples.table_of())
    assert (lattice.top, lattice.size) == ((2, 2, 2), 27)
    assert [lattice.count_shown_nodes(1, level) for level in range(3)] == [2, 2, 1]
    # Four records; those of the North are poor, those of the South rich.
    assert lattice.classes((0, 0, 0)).tolist() == [0, 1, 2, 3]
    assert lattice.classes((1, 0, 1)).tolist() == [0, 0, 1, 1]
    assert lattice.classes((2, 2, 2)).tolist() == [0, 0, 0, 0]
    assert lattice.distance_vector(0, 1) == (1, 0, 1)
    assert lattice.distance_vector(0, 3) == (2, 2, 2)
    assert lattice.distance_vector(2, 2) == (0, 0, 0)


def test_a_class_shows_the_whole_range_of_its_nodes() -> None:
    table = samples.table_of()
    found = build_lattice(table).partition((1, 1, 1), np.array([1, 2, 3]))
    assert found.labels.tolist() == [0, 1, 1]
    shown = shown_of(table, found.lows, found.highs)
    assert shown == [["30..31", "poor..middling", "North"], ["45..47", "rich", "South"]]
    # Numbers of one value have nothing to generalise.
    table = samples.table_of(["30,poor,Aa,flu", "30,rich,Aa,flu"])
    found = build_lattice(table).partition(build_lattice(table).top, np.array([0, 1]))
    assert shown_of(table, found.lows, found.highs)[0][0] == "30"


@pytest.mark.proof
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40, unique=True), st.booleans())
def test_domains_are_the_levels_of_a_hierarchy(numbers: list[int], by_prefix: bool) -> None:
    texts = sorted(map(str, numbers))
    build = hierarchies.build_prefix_hierarchy if by_prefix else hierarchies.build_pairing_hierarchy
    found = build(texts, "")
    domains = level_domains(found)
    assert len(domains) == brute.height(found) + 1
    for level, domain in enumerate(domains):
        for leaf in range(found.leaves):
            node, place = brute.node_at(found, leaf, level), domain.nodes[leaf]
            assert (domain.lows[place], domain.highs[place]) == (found.first[node], found.last[node])
        assert sorted(set(domain.nodes.tolist())) == list(range(len(domain.lows)))


@pytest.mark.proof
@given(samples.any_rows(most=14), st.data())
def test_two_records_show_the_same_where_no_level_is_below_their_distance(
    rows: list[str], data: st.DataObject
) -> None:
    said = samples.make_specification(quasi_identifiers=samples.QUASI, sensitive=[])
    table = read_table(samples.csv_of(rows, samples.HEADER), "t.csv", said)
    lattice = build_lattice(table)
    assert lattice.top == brute.top_levels(table)
    levels = tuple(data.draw(st.integers(0, top)) for top in lattice.top)
    classes, shown = lattice.classes(levels), brute.shown_ranges(table, levels)
    for one in range(table.records):
        for other in range(table.records):
            apart = zip(lattice.distance_vector(one, other), levels, strict=True)
            near = all(distance <= level for distance, level in apart)
            assert near == (classes[one] == classes[other]) == (shown[one] == shown[other])


@pytest.mark.parametrize("columns", [1, 12])
def test_many_values_in_many_columns_are_told_apart(columns: int) -> None:
    """Twelve columns of 300 values: more combinations than an integer counts."""
    codes: Codes = np.random.default_rng(3).integers(0, 300, (500, columns)).astype(np.int32)
    codes[:20] = codes[20:40]
    domains = level_domains(hierarchies.build_flat_hierarchy([str(number) for number in range(300)], ""))
    classes = Lattice(codes, (domains,) * columns).classes((0,) * columns)
    _rows, expected = np.unique(codes, axis=0, return_inverse=True)
    pairs = set(zip(classes.tolist(), expected.ravel().tolist(), strict=True))
    assert len(pairs) == len(set(classes.tolist())) == len(set(expected.ravel().tolist()))
    assert sorted(set(classes.tolist())) == list(range(len(pairs)))


# --- samarati


@pytest.mark.proof
@given(samples.any_rows(most=14), samples.any_said(), st.sampled_from(["0", "0.1", "0.3", "0.6"]))
def test_all_minimal_generalisations_and_no_others(
    rows: list[str], said: dict[str, Any], suppression: str
) -> None:
    share = 0 if suppression == "0" else suppression
    table, specification = samples.any_table(rows, said, suppression=share)
    expected = brute.minimal_nodes(table, specification)
    found = minimal_generalisations(build_lattice(table), table, specification)
    assert found == [one.levels for one in expected]
    if not expected:
        assert NO_LEVEL in refusal(anonymize_by_samarati, table, specification)
        return
    outcome = anonymize_by_samarati(table, specification)
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
BIRTHS = {
    "63": {"63/03": ["63/03/13", "63/03/18"]},
    "64": {"64/04": ["64/04/12", "64/04/15"], "64/09": ["64/09/13", "64/09/27"]},
}
STATES = {"been married": ["divorced", "married", "widow"], "never married": ["single"]}
GIVEN: dict[str, dict[str, Any]] = {
    name: {"name": name, "kind": "category", **({"hierarchy": of} if of else {})}
    for name, of in {"race": None, "birth": BIRTHS, "sex": None, "zip": "prefixes", "marital": STATES}.items()
}
RACE, BIRTH, SEX, ZIP, MARITAL = GIVEN.values()


def medical_table(quasi: list[dict[str, Any]], **changed: Any) -> tuple[Table, Specification]:
    said = samples.make_specification(quasi_identifiers=quasi, sensitive=["disease"], **changed)
    return read_table(samples.csv_of(MEDICAL.splitlines()[1:], MEDICAL.splitlines()[0]), "t.csv", said), said


def levels_of(quasi: list[dict[str, Any]], **changed: Any) -> dict[Levels, int]:
    table, said = medical_table(quasi, **changed)
    lattice, suppression = build_lattice(table), Suppression(table, said)
    left_out = {}
    for levels in minimal_generalisations(lattice, table, said):
        kept = suppression.publishable_records(lattice.classes(levels))
        assert kept is not None
        left_out[levels] = table.records - len(kept)
    return left_out


def test_the_medical_table_by_race_and_zip() -> None:
    """Races below `*`; ZIP codes below 9413* and 9414*, these below `*`: the lattice of figure 3, six nodes.

    As they are, six of nine records are alone. With races joined (1, 0) those of 94142 and 94138 are; with ZIP codes
    joined once (0, 1) a white one in each half; with both (1, 1) there are six and three, with ZIP codes gone (0, 2)
    five asians, two and two.
    """
    assert build_lattice(medical_table([RACE, ZIP])[0]).top == (1, 2)
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
    assert build_lattice(medical_table(quasi)[0]).top == (1, 3, 1, 2, 2)
    assert levels_of(quasi, k=3) == {(1, 3, 1, 1, 1): 0}
    in_pairs = [(0, 2, 0, 2, 2), (1, 1, 0, 2, 1), (1, 2, 0, 1, 2), (1, 3, 1, 1, 1)]
    assert levels_of(quasi, k=2) == dict.fromkeys(in_pairs, 0)


def test_what_is_published_of_the_medical_table() -> None:
    """Both nodes leave out two records; a joined race costs 1, and 9413* or 9414* half, having half of the codes."""
    table, said = medical_table([RACE, ZIP], k=2, suppression="0.3")
    found = anonymize_by_samarati(table, said)
    assert found.kept.tolist() == [0, 1, 2, 3, 4, 5, 6]
    shown = shown_of(table, *map(np.array, ends_of(found)))
    assert shown == [["asian", "9414*"]] * 2 + [["asian", "9413*"]] * 3 + [["black", "9413*"]] * 2
    assert certainty_penalties_by_class(found.table, found.partition).mean() == 0.25


def test_a_class_that_violates_another_criterion_is_left_out() -> None:
    """Aa has one illness. With its people left out nothing must be generalised."""
    rows = ["30,poor,Aa,flu", "30,poor,Aa,flu", "30,poor,Cee,flu", "30,poor,Cee,cold"]
    changed: dict[str, Any] = {"k": 2, "suppression": "0.5", "l": {"kind": "distinct", "value": 2}}
    table = samples.table_of(rows)
    lattice = build_lattice(table)
    assert minimal_generalisations(lattice, table, samples.make_specification(**changed)) == [(0, 0, 0)]
    assert anonymize_by_samarati(table, samples.make_specification(**changed)).left_out_record_count == 2
    # Of all a quarter has a cold, of Cee half; but what is published is Cee alone.
    near = samples.make_specification(**{**changed, "l": None, "max_frequency": "0.5", "t": "0.2"})
    assert minimal_generalisations(build_lattice(table), table, near) == [(0, 0, 0)]
    assert anonymize_by_samarati(table, near).left_out_record_count == 2


def test_closeness_is_asked_of_what_is_published() -> None:
    """Ages 1 and 2 are alone and left out. Of all six half have the flu, of the four that stay a quarter.

    Of age 3 nobody has it, of age 4 half: 1/2 and 0 from the shares of all, 1/4 and 1/4 from those of the four.
    """
    flu_or_gout = zip("123344", "ffgggf", strict=True)
    table = samples.table_of([f"{age},poor,Aa,{ill}" for age, ill in flu_or_gout])
    near, nearer = (samples.make_specification(k=2, suppression="0.4", t=share) for share in ("0.25", "0.24"))
    assert minimal_generalisations(build_lattice(table), table, near) == [(0, 0, 0)]
    assert anonymize_by_samarati(table, near).left_out_record_count == 2
    expected = [one.levels for one in brute.minimal_nodes(table, nearer)]
    assert minimal_generalisations(build_lattice(table), table, nearer) == expected
    assert brute.generalise(table, nearer, (0, 0, 0)) is None


def test_of_equal_losses_the_first_level_vector_is_preferred() -> None:
    quasi = [{"name": name, "kind": "category"} for name in ("wealth", "town")]
    said = samples.make_specification(quasi_identifiers=quasi, k=2)
    table = samples.table_of([f"1,{wealth},{town},flu" for wealth in "ab" for town in "cd"], said)
    assert minimal_generalisations(build_lattice(table), table, said) == [(0, 1), (1, 0)]
    assert anonymize_by_samarati(table, said).partition.lows.tolist() == [[0, 0], [1, 0]]


def test_too_large_a_lattice_is_refused() -> None:
    quasi = [{"name": f"q{number}", "kind": "category"} for number in range(17)]
    said = samples.make_specification(quasi_identifiers=quasi, sensitive=[])
    names = ",".join(column["name"] for column in quasi)
    table = read_table(samples.csv_of([",".join("a" * 17), ",".join("b" * 17)], names), "t.csv", said)
    assert refusal(anonymize_by_samarati, table, said) == (
        "quasi_identifiers: 131072 generalisations, more than 100000: take fewer columns or levels, or another method"
    )


@pytest.mark.proof
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_binary_search_decides_every_node(shape: list[int], data: st.DataObject) -> None:
    node = st.tuples(*(st.integers(0, length - 1) for length in shape))
    lowest = data.draw(st.lists(node, max_size=4))
    asked: list[Levels] = []

    def node_holds(levels: Levels) -> bool:
        asked.append(levels)
        return any(all(low <= high for low, high in zip(one, levels, strict=True)) for one in lowest)

    found = find_satisfying_nodes(tuple(shape), node_holds)
    assert len(asked) == len(set(asked))
    assert all(bool(found[levels]) == node_holds(levels) for levels in np.ndindex(*shape))


@pytest.mark.night
@pytest.mark.proof
def test_adult_with_two_in_a_hundred_left_out() -> None:
    """Of the 5,760 generalisations a fraction is looked at."""
    table, said = samples.adult_table(), samples.adult_specification(k=10, suppression="0.02")
    lattice = build_lattice(table)
    assert (lattice.top, lattice.size) == ((7, 4, 2, 1, 1, 1, 1, 2), 5760)
    assert len(minimal_generalisations(lattice, table, said)) == 311


# --- datafly, and every file that it or samarati publishes


def test_the_column_with_the_most_values_goes_up() -> None:
    """Ages halve at 50, 30 and 20. Six of them and four towns: ages go up to five and three, towns to two regions.

    Then 30 in the South and 90 are alone, and ages go up to 10..32 and 90. Of two ages and two regions ages are first.
    """
    said = samples.make_specification(quasi_identifiers=AGE_AND_TOWN, k=2, suppression="0.2")
    rows = ["10,Aa,flu", "12,Bee,flu", "30,Cee,flu", "31,Dee,flu", "32,Cee,flu", "90,Aa,flu"]
    table = read_table(samples.csv_of(rows, "age,town,illness"), "t.csv", said)
    found = anonymize_by_datafly(table, said)
    assert found.kept.tolist() == [0, 1, 2, 3, 4]
    north, south = ["10..32", "North"], ["10..32", "South"]
    assert shown_of(table, *map(np.array, ends_of(found))) == [north, north, south, south, south]
    lost = anonymize_by_datafly(table, samples.make_specification(quasi_identifiers=AGE_AND_TOWN, k=2))
    north, south = ["10..90", "North"], ["10..90", "South"]
    assert shown_of(table, *map(np.array, ends_of(lost))) == [north, north, south, south, south, north]
    # What no level keeps is refused with a way out.
    said = samples.make_specification(k=2, max_frequency="0.5", suppression="0.1")
    table = samples.table_of(["30,poor,Aa,flu"] * 3 + ["30,poor,Aa,cold"])
    none = f"suppression: no generalisation meets the criteria: {NO_LEVEL}"
    assert refusal(anonymize_by_datafly, table, said) == none


@pytest.mark.night
@pytest.mark.proof
@pytest.mark.parametrize("method", ["datafly", "samarati"])
@given(samples.any_rows(), samples.any_said(), st.sampled_from(["0.1", "0.3", "0.6"]), st.randoms())
def test_every_published_file_keeps_the_criteria(
    method: str, rows: list[str], said: dict[str, Any], suppression: str, random: Any
) -> None:
    """Its classes by what it shows; and no more is left out than allowed."""
    table, specification = samples.any_table(rows, said, method=method, suppression=suppression)
    try:
        outcome = anonymize(table, specification, samples.stop_at_once)
    except InputError:
        assert brute.generalise(table, specification, brute.top_levels(table)) is None
        return
    order = random.sample(range(len(outcome.kept)), len(outcome.kept))
    text = brute.check_published_file(outcome, specification, order)
    header, *cells = csv.reader(io.StringIO(text))
    assert len(cells) >= (1 - float(suppression)) * len(rows)
    quasi = [{"name": name, "kind": "category"} for name in header[:4]]
    again = read_specification(json.dumps({**said, "quasi_identifiers": quasi}), "spec", samples.METHODS)
    read = read_table(io.BytesIO(text.replace("*", "any").encode()), "out.csv", again)
    classes = defaultdict(list)
    for record, row in enumerate(cells):
        classes[tuple(row[:4])].append(record)
    assert all(brute.is_class_allowed(read, specification, members) for members in classes.values())
    assert len(classes) == outcome.partition.class_count


@pytest.mark.proof
def test_adult_by_datafly() -> None:
    table = samples.adult_table()
    said = samples.adult_specification(k=10, suppression="0.02")
    found = anonymize_by_datafly(table, said)
    assert 0 < found.left_out_record_count <= 0.02 * table.records
    assert found.information_losses(said).ncp == pytest.approx(0.416, abs=0.001)
