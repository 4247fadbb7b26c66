"""`reproduce publishing`, its worked tables: the register, the eleven rows, and the lattice of race and ZIP."""

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import product

import pytest

from papers.publishing import lattice, utility
from papers.publishing.lattice import CASES, EVEN, UNEVEN, LatticeCase, LatticeNode, of_case, strategies
from papers.publishing.lattice_figure import lattice_figures
from papers.publishing.linkage import (
    HEAD,
    MEDICAL,
    REGISTER,
    Linkage,
    by_year_and_month,
    linkage,
)
from tests.privacy.anonymity import kernels

SVG = "{http://www.w3.org/2000/svg}"
GENERALISED = [
    ("asian", "1964-09", "female", "94139", "divorced"),
    ("asian", "1964-09", "female", "94139", "divorced"),
    ("asian", "1964-04", "male", "94139", "married"),
    ("asian", "1964-04", "male", "94139", "married"),
    ("black", "1963-03", "male", "94138", "married"),
    ("black", "1963-03", "male", "94138", "married"),
    ("black", "1964-09", "female", "94141", "married"),
    ("black", "1964-09", "female", "94141", "married"),
    ("white", "1961", "*", "*", "*"),
    ("white", "1961", "*", "*", "*"),
    ("white", "1961", "*", "*", "*"),
]
"""The eleven records in pairs that agree in all but the day; the widow joins those who were born in her year."""


@pytest.fixture(scope="module")
def linked() -> Linkage:
    return linkage(kernels.folder())


@pytest.mark.proof
def test_whoever_fits_one_record_alone_is_re_identified(linked: Linkage) -> None:
    """Two voters have the birth date, sex and ZIP of record 3; the last two voters are in no record."""
    assert {row.voter: row.records for row in linked.before} == {
        "Sue J. Carlson": (11,),
        "Ann Lee": (1,),
        "Ben Wu": (3,),
        "Carl Ito": (3,),
        "Dan Hill": (5,),
        "Eve Reed": (8,),
        "Fay Stone": (),
        "Gus Webb": (),
    }
    assert {row.voter: row.problems for row in linked.before if row.re_identified} == {
        "Sue J. Carlson": ("shortness of breath",),
        "Ann Lee": ("hypertension",),
        "Dan Hill": ("hypertension",),
        "Eve Reed": ("obesity",),
    }
    assert [row.rivals for row in linked.before] == [0, 0, 1, 1, 0, 0, 0, 0]


@pytest.mark.proof
def test_records_fit_by_birth_date_sex_and_zip_alone(linked: Linkage) -> None:
    places = [HEAD.index(name) for name in ("birth date", "sex", "ZIP")]
    for voter, row in zip(REGISTER, linked.before, strict=True):
        fitting = [
            number
            for number, record in enumerate(MEDICAL, 1)
            if tuple(record[place] for place in places) == voter.known
        ]
        assert list(row.records) == fitting


@pytest.mark.proof
def test_the_2_anonymous_table_to_its_last_cell(linked: Linkage) -> None:
    problems = [record[-1] for record in MEDICAL]
    assert linked.anonymous == [
        [*shown, problem] for shown, problem in zip(GENERALISED, problems, strict=True)
    ]
    assert [list(record) for record in MEDICAL] == linked.rows


@pytest.mark.proof
def test_nobody_is_re_identified_in_the_2_anonymous_table(linked: Linkage) -> None:
    assert [row.records for row in linked.after] == [
        (9, 10, 11),
        (1, 2),
        (3, 4),
        (3, 4),
        (5, 6),
        (7, 8),
        (9, 10, 11),
        (9, 10, 11),
    ]
    assert not any(row.re_identified for row in linked.after)
    assert min(len(row.problems) for row in linked.after) == 2


def test_dates_are_generalised_to_month_and_year() -> None:
    dates = ["1964-09-30", "1964-09-27", "1964-04-18", "1961-05-08", "1964-09-30"]
    assert by_year_and_month(dates) == {
        "1961": {"1961-05": ["1961-05-08"]},
        "1964": {"1964-04": ["1964-04-18"], "1964-09": ["1964-09-27", "1964-09-30"]},
    }


def test_weights_of_the_eleven_rows() -> None:
    """Asthma: all ages, two of four towns; flu: all ages, three towns; gout: from 40 to 60, two towns."""
    assert len(utility.ROWS) == 11
    assert {row.value: row.weights for row in utility.weights()} == {
        "asthma": {"age": 1, "town": 0.5},
        "flu": {"age": 1, "town": 0.75},
        "gout": {"age": 0.5, "town": 0.5},
    }


def test_two_generalisations_with_one_ncp_and_different_ilp() -> None:
    """Eight rows show half of one column. Of them three have asthma, three flu, two gout; 22 cells."""
    ages, towns = utility.generalisations()
    assert (ages.name, towns.name) == ("ages together", "towns together")
    assert ages.ncp == pytest.approx(4 / 22)
    assert towns.ncp == pytest.approx(4 / 22)
    assert ages.ilp == pytest.approx((3 * 1 + 3 * 1 + 2 * 0.5) / 2 / 22)
    assert towns.ilp == pytest.approx((3 * 0.5 + 3 * 0.75 + 2 * 0.5) / 2 / 22)
    # Ages together: two classes of one illness in the North, one of gout in the South, of five classes.
    assert (ages.hasr, towns.hasr) == (0.6, 0)


def test_what_the_two_generalisations_show() -> None:
    ages, towns = utility.generalisations()
    shown = ["20..40"] * 4 + ["40..60"] * 4 + ["60"] * 3
    assert [row[0] for row in ages.rows] == shown
    assert [row[1:] for row in ages.rows] == [list(row[1:]) for row in utility.ROWS]
    shown = ["North"] * 4 + ["South"] * 4 + ["Alder"] * 3
    assert [row[1] for row in towns.rows] == shown
    assert [row[0] for row in towns.rows] == [str(row[0]) for row in utility.ROWS]


def case(name: str, k: int, most: int) -> list[LatticeNode]:
    (found,) = [one for one in CASES if (one.name, one.k, one.most) == (name, k, most)]
    return of_case(found, lattice.nodes())


@pytest.mark.parametrize(
    ("name", "k", "most", "minimal"),
    [
        ("twelve rows", 2, 0, {"R0Z1", "R1Z0"}),
        ("twelve rows", 3, 0, {"R1Z0", "R0Z2"}),
        ("nine rows", 2, 0, {"R0Z2", "R1Z1"}),
        ("nine rows", 2, 2, {"R0Z1", "R1Z0"}),
    ],
)
def test_the_minimal_generalisations(name: str, k: int, most: int, minimal: set[str]) -> None:
    nodes = case(name, k, most)
    assert [node.name for node in nodes] == ["R0Z0", "R0Z1", "R1Z0", "R0Z2", "R1Z1", "R1Z2"]
    assert {node.name for node in nodes if node.minimal} == minimal
    assert [node.height for node in nodes] == [0, 1, 1, 2, 2, 3]


@pytest.mark.parametrize("one", CASES, ids=lambda one: f"{one.name}-{one.k}-{one.most}")
def test_classes_by_counting_what_the_rows_show(one: LatticeCase) -> None:
    for node in of_case(one, lattice.nodes()):
        race, code = node.distance
        counts = Counter((("*",) * race or (row[0],), row[1][: (5, 4, 0)[code]]) for row in one.rows)
        assert node.sizes == tuple(sorted(counts.values(), reverse=True))
        assert node.below == sum(size for size in counts.values() if size < one.k)
        assert node.admitted == (node.below <= one.most)


def test_minimal_are_those_admitted_with_none_admitted_below() -> None:
    for one in CASES:
        nodes = of_case(one, lattice.nodes())
        for node in nodes:
            below = [
                other
                for other in nodes
                if other is not node and all(map(int.__le__, other.distance, node.distance))
            ]
            assert node.minimal == (node.admitted and not any(other.admitted for other in below))


def test_distance_vectors_of_the_nine_rows() -> None:
    """asian 94142 beside asian 94141: one level of ZIP; beside black 94138: all levels; rows 3 to 5 are the same."""
    found = {row.records: row.distance for row in lattice.distances()}
    assert len(found) == 9 * 8 / 2
    assert found[1, 2] == (0, 1)
    assert found[1, 3] == (0, 2)
    assert found[1, 6] == (1, 2)
    assert found[3, 4] == (0, 0)
    assert found[3, 8] == (1, 0)
    assert found[6, 7] == (0, 1)


def test_strategies_are_the_paths_through_the_lattice() -> None:
    """One step of race among two of ZIP: three orders."""
    assert strategies((1, 2)) == [
        [(0, 0), (1, 0), (1, 1), (1, 2)],
        [(0, 0), (0, 1), (1, 1), (1, 2)],
        [(0, 0), (0, 1), (0, 2), (1, 2)],
    ]


def test_the_rows_of_the_lattice() -> None:
    assert len(set(EVEN)) == 12 == len(list(product(range(3), range(4))))
    assert len(UNEVEN) == 9


def test_the_lattice_is_drawn_with_a_box_for_each_node_and_a_line_for_each_step() -> None:
    figures = dict(lattice_figures(lattice.nodes()))
    assert list(figures) == ["lattice-1", "lattice-2", "lattice-3", "lattice-4"]
    for (_name, drawn), one in zip(figures.items(), CASES, strict=True):
        root = ET.fromstring(drawn)
        boxes = [box for box in root.findall(f"{SVG}rect") if box.get("stroke")]
        nodes = of_case(one, lattice.nodes())
        assert len(boxes) == len(nodes) == 6
        assert len(root.findall(f"{SVG}path")) == 7
        for box, node in zip(boxes, nodes, strict=True):
            assert (box.get("fill") != "#ffffff") == node.minimal
            assert (box.get("stroke-dasharray") is not None) == (not node.admitted)
            assert float(box.get("x", "-1")) >= 0
        assert "R0Z1 [0, 1]" in drawn
