"""location.md: the tables and what they show."""

from collections.abc import Iterator, Sequence

from papers.location.errors import CONSTANT, EVERYBODY, PERSONS, LayoutErrors
from papers.location.results import LocationResults
from papers.location.settings import (
    CLUSTER_SD,
    CLUSTERS,
    COUNTS,
    DRAWS,
    EIGHTH,
    LAYOUTS,
    PEOPLE,
    RECORDS,
    SEED,
    TILES,
)
from papers.tables import markdown

SHOWN = (5, 10, 15, 20)
RIGHT = "--:"


def text(found: LocationResults) -> str:
    return "\n".join(
        [*_widths(found), *_layouts(found), *_several(found), *_people(found), *_corollary(found)]
    )


def _widths(found: LocationResults) -> Iterator[str]:
    worse = max(row.epsilon for row in found.widths if row.square_error > CONSTANT)
    first = next(row for row in found.widths if row.epsilon == worse + 1)
    yield INTRODUCTION
    yield "![The best w over epsilon](widths.svg)\n"
    head = ["epsilon", "w, square", "squared error, square", "own w, centre", "own w, corners"]
    lines = [
        [row.epsilon, *map(number, (row.square, row.square_error, row.centre, row.corners))]
        for row in found.widths
    ]
    yield markdown(head, lines, RIGHT)
    yield CONSTANT_ANSWER.format(
        constant=number(CONSTANT),
        worse=worse,
        next=worse + 1,
        gain=f"{1 - first.square_error / CONSTANT:.1%}",
    )
    yield "![The square mechanism beside planar Laplace and a grid](baselines.svg)\n"
    head = ["epsilon", "square", "planar Laplace", "grid's response", "its lines"]
    lines = [
        [row.epsilon, *map(number, (row.square, row.planar_laplace, row.grid)), row.columns]
        for row in found.baselines
    ]
    yield markdown(head, lines, RIGHT)


def _layouts(found: LocationResults) -> Iterator[str]:
    yield LAYOUT
    yield "![Errors with the paper's w and with the own one](own-width.svg)\n"
    for layout in LAYOUTS:
        rows = [row for row in found.layouts if row.layout == layout]
        yield f"### {layout.capitalize()}\n"
        yield f"![Squared errors over epsilon, {layout}]({layout}.svg)\n"
        head = [
            "epsilon",
            "square",
            "paper's w",
            "own w",
            "paper's w is",
            "own w is",
            "in a region, enlarged",
        ]
        everybody = [row for row in rows if row.who == EVERYBODY]
        yield markdown(head, [[*_errors(row), *_sizes(row)] for row in everybody], RIGHT)
        yield "Of one person:\n"
        persons = [row for row in rows if row.who in PERSONS and row.epsilon in SHOWN]
        persons.sort(key=lambda row: list(PERSONS).index(row.who))
        yield markdown(
            ["person at the", "epsilon", "square", "paper's w", "own w"],
            [[row.who, *_errors(row)] for row in persons],
            RIGHT,
        )


def _errors(row: LayoutErrors) -> list[object]:
    return [row.epsilon, *map(number, (row.square, row.paper, row.own))]


def _sizes(row: LayoutErrors) -> Sequence[str]:
    return [number(row.paper_width), number(row.own_width), f"{row.paper_share:.1%}"]


def _several(found: LocationResults) -> Iterator[str]:
    yield SEVERAL.format(draws=DRAWS, seed=SEED, counts=", ".join(map(str, COUNTS)), side=number(EIGHTH))
    yield "![Squared errors of two, four and six regions](several.svg)\n"
    head = ["regions", "epsilon", "square", "paper's w", "own w", "own w, least and most"]
    lines = [
        [
            row.count,
            row.epsilon,
            *map(number, (row.square, row.paper.mean, row.own.mean)),
            f"{number(row.own.least)} to {number(row.own.most)}",
        ]
        for row in found.several
    ]
    yield markdown(head, lines, RIGHT)


def _people(found: LocationResults) -> Iterator[str]:
    yield PEOPLE_TEXT.format(
        people=f"{PEOPLE:,}", clusters=CLUSTERS, sd=f"{CLUSTER_SD:g}", seed=SEED, records=RECORDS
    )
    head = ["people", "regions", "epsilon", "inside", "w, even", "error", "w, fitted", "error", "simulated"]
    lines = [
        [
            row.people,
            row.regions,
            row.epsilon,
            f"{row.inside:.1%}",
            *map(number, (row.even_width, row.even_error, row.fitted_width, row.fitted_error)),
            f"{number(row.simulated)} ± {number(row.simulated_reach)}",
        ]
        for row in found.people
    ]
    yield markdown(head, lines, RIGHT)


def _corollary(found: LocationResults) -> Iterator[str]:
    yield COROLLARY
    yield TILED.format(tiles=len(TILES))
    yield "![The optimised mechanism on a tiled map](tiled.svg)\n"
    head = ["epsilon", "one w", "square", "optimised", "square, its best w", "optimised, its best w"]
    lines = [
        [
            row.epsilon,
            *map(number, (row.width, row.square, row.optimised, row.square_best, row.optimised_best)),
        ]
        for row in found.tiled
    ]
    yield markdown(head, lines, RIGHT)
    yield AT_CORNER
    yield "![Somebody at a corner of a region](corner.svg)\n"
    head = [
        "epsilon",
        "square",
        "optimised, one w",
        "optimised, own w",
        "part of the region that is worse off",
    ]
    corner = [
        [row.epsilon, *map(number, (row.square, row.optimised, row.own)), f"{row.worse:.1%}"]
        for row in found.corner
    ]
    yield markdown(head, corner, RIGHT)


def number(value: float) -> str:
    """Five digits at least, as far as they count."""
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.5g}"


INTRODUCTION = """# Sensitive places

The paper on location privacy: the *square mechanism* sends a point of a square of width w around the true place with
density a e^eps, and any other point of the map with density a. Its *utility-optimised* form protects only people
inside sensitive regions; people outside send their place as it is, with a stated probability. The map has the
side 2,000 (d = 1000) and its middle at 0. Errors are expected squared distances between the place sent and the true
one, computed from closed forms (docs/mathematics.md, Places on the plane).

What of the paper could not be had, and what stands for it:

* **Its data.** Even and clustered points with a stated seed take their place. They say how the mechanisms compare,
  not which numbers the paper prints for its data.
* **Its w.** "The paper's w" is the best w of the square mechanism on the whole map, also in the utility-optimised
  mechanism; a region with a side below w is enlarged to w about its middle, and moved back onto the map. The own w is
  the best of the utility-optimised mechanism, at most the shortest side of a region.
* **Its regions.** How large they are in the middle and in the corners, and where they lie otherwise, is chosen here:
  in the middle one region of half the map's side, in the corners four of a quarter of it, both a quarter of the map.

## The best w

For even points, epsilon 1 to 20:
"""
CONSTANT_ANSWER = """Whoever always sends the middle of the map has a squared error of {constant} for even points,
whatever epsilon is. Up to epsilon {worse} the square mechanism is worse than that, at {next} it is {gain} better: at
so small an epsilon squared error rewards a constant answer, and such a w says nothing about which mechanism tells
more.

Mechanisms with the same gamma between any two places of the map, for even points: planar Laplace noise (what leaves
the map is moved to its edge), and randomised response over the best grid, which sends the middle of a cell. **The
grid is at least as good as the square mechanism**, and better where epsilon is small.
"""
LAYOUT = """## A region in the middle, and one in each corner

Epsilon 5 to 20, both mechanisms; first for even points. The last column is the part of the map that is in a region,
once regions are enlarged to the paper's w: whoever comes to lie inside by this is disguised and need not be.
"""
SEVERAL = """## Two, four and six regions

{counts} regions with a side of {side}, one eighth of the map's; means over {draws} draws of where they lie (seed
{seed}; none overlap), even points, epsilon 10 to 20. From epsilon 10 on the paper's w fits, so no region is enlarged.
"""
PEOPLE_TEXT = """## Even and clustered people

{people} people at even points, and {people} in {clusters} clusters (normally distributed, standard deviation {sd},
middles drawn with seed {seed}). The best w for even points beside the w fitted to these very people, and the errors
of both; the last column is the mean over {records} simulated records of each person with the fitted w, with 1.96
standard errors. Two of the clusters: a region of side 500 around each of two of them.

The fitted w is the least possible error for these people. A survey may fit w only to what is public beforehand, such
as a census: a w fitted to the respondents themselves would say where they are.
"""
COROLLARY = """## Where corollary 3 fails

Corollary 3 is read as: for even points and for each person, the utility-optimised mechanism's squared error is at
most the square mechanism's. It fails because inside a region the square is moved further from the person than on the
map, and this part, b |p - c|^2, can outweigh the gain.
"""
TILED = """### A map tiled by regions

{tiles} regions of side 500 leave nothing outside. Then S is the area of the map, a and b are the same for both
mechanisms with one w, everybody's square is moved at least as far, and many people's further: the optimised mechanism
is worse for even points, and better for nobody. First with one w (the square mechanism's best, at most 500), then
each with its best.
"""
AT_CORNER = """### Somebody at a corner of a region

The region in the middle, a person at (500, 500). On the map the square lies around them, in the region beside them.
In the last column, with one w, the part of the region in which people have a larger error than under the square
mechanism.
"""
