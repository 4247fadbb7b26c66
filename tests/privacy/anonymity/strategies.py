"""Random tables with random criteria."""

from typing import Any

from hypothesis import strategies as st

TOWNS = {"North": ["Aa", "Bee"], "South": ["Cee", "Dee"]}
ILLNESSES = ["cold", "flu", "gout", "mumps"]
MOODS = ["good", "bad"]
QUASI: list[dict[str, Any]] = [
    {"name": "age", "kind": "number"},
    {"name": "wealth", "kind": "ordered", "order": ["poor", "middling", "rich"]},
    {"name": "town", "kind": "category", "hierarchy": TOWNS},
    {"name": "tongue", "kind": "category"},
]
HEADER = "age,wealth,town,tongue,illness,mood"


@st.composite
def rows(draw: st.DrawFn, least: int = 2, most: int = 40) -> list[str]:
    row = st.tuples(
        st.integers(-3, 60).map(str),
        st.sampled_from(["poor", "middling", "rich"]),
        st.sampled_from([town for towns in TOWNS.values() for town in towns]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(ILLNESSES),
        st.sampled_from(MOODS),
    )
    return [",".join(cells) for cells in draw(st.lists(row, min_size=least, max_size=most))]


@st.composite
def said(draw: st.DrawFn) -> dict[str, Any]:
    two = draw(st.booleans())
    kind = draw(st.sampled_from(["distinct", "entropy", "recursive"]))
    least = draw(st.integers(1, 3))
    diversity: dict[str, Any] = {"kind": kind, "value": least, "joint": two and draw(st.booleans())}
    if kind == "recursive":
        diversity["c"] = draw(st.sampled_from(["0.5", "1", "2.5", "10"]))
    illness = {"name": "illness", "order": ILLNESSES} if draw(st.booleans()) else "illness"
    return {
        "format": "candor-release/1",
        "quasi_identifiers": QUASI,
        "sensitive": [illness, "mood"] if two else [illness],
        "k": draw(st.integers(1, 6)),
        "l": draw(st.sampled_from([None, diversity])),
        "t": draw(st.sampled_from([None, "0.2", "0.4", "0.7"])),
        "max_frequency": draw(st.sampled_from([None, "0.5", "0.7", "0.9"])),
        "rho": draw(st.sampled_from([None, ["0.2", "0.6"], ["0.3", "0.9"]])),
        "weights": draw(st.sampled_from(["unit"] if two else ["unit", "data"])),
        "seconds": 0,
    }
