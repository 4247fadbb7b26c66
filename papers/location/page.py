"""The page of document 002."""

from django.utils.translation import gettext as _

from papers.location.errors import CONSTANT, PRINTED, LayoutErrors, LocationResults
from papers.location.figures import figures
from papers.location.settings import CLUSTER_SD, CLUSTERS, DRAWS, EIGHTH, PEOPLE, RECORDS, SEED
from papers.location.widths import square
from papers.page import Claim, Page, Table, Verdict, judged

SHOWN = (5, 10, 15, 20)


def page(results: LocationResults) -> Page:
    return Page(
        _("002 Sensitive places"),
        ("002", "hong-2021", "murakami-2019", "andres-2013", "wang-2019"),
        [
            _(
                "The square mechanism sends a point of a square of width w around the true place with density a "
                "e^eps, and any other point of the map with density a. Its utility-optimised form protects people "
                "inside sensitive regions only; others send their place as it is, with a stated probability. The "
                "map has the side 2,000; a region has half of that unless said. Errors are expected squared "
                "distances, from closed forms (docs/mathematics.md, Places on the plane)."
            ),
            _(
                "The document's w is the square mechanism's best at each epsilon. In step 1, a region with a side "
                "below w' is enlarged to w'; w' is computed once, at the lower bound of the budget. The own w is "
                "the best of the utility-optimised mechanism."
            ),
        ],
        claims(results),
        figures(results),
        tables(results),
    )


def claims(results: LocationResults) -> list[Claim]:
    corners = {row.epsilon: row for row in results.layouts if row.layout == "corners"}
    ours = [corners[epsilon].documents.mean for epsilon in PRINTED]
    worst = [(row.documents.most, row.square) for row in results.layouts]
    worst += [(row.documents.most, row.square) for row in results.several]
    tiled = [row for row in results.tiled if row.optimised_best > row.square_best]
    return [
        judged(
            _("Step 1: w' at the lower bound of the budget, 5, and of several regions, 10."),
            f"{number(square(5).width)}, {number(square(10).width)}",
            number(square(5).width) == "601.57" and number(square(10).width) == "188.42",
        ),
        judged(
            _("Figure 5 (curves; recomputed independently at epsilon 5, 10, 15 and 20): %(figures)s.")
            % {"figures": " / ".join(map(number, PRINTED.values()))},
            " / ".join(map(number, ours)),
            all(
                abs(error / printed - 1) < 5e-4 for error, printed in zip(ours, PRINTED.values(), strict=True)
            ),
        ),
        judged(
            _(
                "The utility-optimised mechanism has the smaller error: in the middle, in the corners, several "
                "regions."
            ),
            _("Smaller at every epsilon, in every run and draw."),
            all(error < usual for error, usual in worst),
        ),
        judged(
            _("Corollary 3: it is never worse than the square mechanism."),
            _(
                "On a map tiled by regions it is worse at all %(count)s epsilons, and for somebody at a region's "
                "corner."
            )
            % {"count": len(tiled)},
            not tiled,
            _("Inside a region the square is moved further from the person than on the map."),
        ),
        Claim(
            _("Errors on data of places."),
            _("Even and clustered points with a stated seed."),
            Verdict.UNAVAILABLE,
            _("The data are not at hand."),
        ),
    ]


def tables(results: LocationResults) -> list[Table]:
    errors = [_("square"), _("the document's w"), _("own w")]
    return [
        Table(
            _("One region in the middle"),
            [_("epsilon"), *errors, _("the document's w is"), _("own w is")],
            [_layout(row) for row in results.layouts if row.layout == "centre"],
            file="layouts",
        ),
        Table(
            _("One region in a corner, the mean of four runs"),
            [_("epsilon"), *errors, _("the document's w is"), _("own w is")],
            [_layout(row) for row in results.layouts if row.layout == "corners"],
            file="layouts",
        ),
        Table(
            _("Several regions with a side of %(side)s, means over %(draws)s draws (seed %(seed)s)")
            % {"side": number(EIGHTH), "draws": DRAWS, "seed": SEED},
            [_("regions"), _("epsilon"), *errors],
            [
                [row.count, row.epsilon, *map(number, (row.square, row.documents.mean, row.own.mean))]
                for row in results.several
            ],
            _("No two overlap. From epsilon 10 on w' fits, so no region is enlarged."),
            "several",
        ),
        Table(
            _("The best w"),
            [
                _("epsilon"),
                _("w, square"),
                _("squared error, square"),
                _("own w, middle"),
                _("own w, corner"),
            ],
            [
                [row.epsilon, *map(number, (row.square, row.square_error, row.centre, row.corner))]
                for row in results.widths
            ],
            _(
                "Sending the middle of the map always has an error of %(constant)s. Below epsilon 3 or so squared "
                "error rewards a constant answer."
            )
            % {"constant": number(CONSTANT)},
            "widths",
        ),
        Table(
            _("Rivals with the same gamma"),
            [
                _("epsilon"),
                _("square"),
                _("planar Laplace"),
                _("piecewise by axis"),
                _("grid"),
                _("its lines"),
            ],
            [
                [
                    row.epsilon,
                    *map(number, (row.square, row.planar_laplace, row.piecewise, row.grid)),
                    row.columns,
                ]
                for row in results.rivals
            ],
            _(
                "Laplace noise and the piecewise law (half of epsilon on each axis) are moved back to the edge of "
                "the map. The best grid sends the middle of a cell; it is nowhere worse than the square mechanism."
            ),
            "rivals",
        ),
        Table(
            _("Even and clustered people"),
            [
                _("people"),
                _("regions"),
                _("epsilon"),
                _("inside"),
                _("w, even"),
                _("error"),
                _("w, fitted"),
                _("error"),
                _("simulated"),
            ],
            [
                [
                    _people(row.people),
                    _regions(row.regions),
                    row.epsilon,
                    f"{row.inside:.1%}",
                    *map(number, (row.even_width, row.even_error, row.fitted_width, row.fitted_error)),
                    f"{number(row.simulated)} ± {number(row.simulated_reach)}",
                ]
                for row in results.people
            ],
            _(
                "%(people)s people at even points, and in %(clusters)s clusters (standard deviation %(sd)s, seed "
                "%(seed)s); w for even points, and fitted to these people; the last column is the mean over "
                "%(records)s simulated records of each, with 1.96 standard errors. A survey may fit w only to what "
                "is public."
            )
            % {
                "people": f"{PEOPLE:,}",
                "clusters": CLUSTERS,
                "sd": f"{CLUSTER_SD:g}",
                "seed": SEED,
                "records": RECORDS,
            },
            "people",
        ),
        Table(
            _("Where corollary 3 fails: a map tiled by sixteen regions"),
            [
                _("epsilon"),
                _("one w"),
                _("square"),
                _("optimised"),
                _("square, its best w"),
                _("optimised, its best w"),
            ],
            [
                [
                    row.epsilon,
                    *map(number, (row.width, row.square, row.optimised, row.square_best, row.optimised_best)),
                ]
                for row in results.tiled
            ],
            file="tiled",
        ),
        Table(
            _("Where corollary 3 fails: somebody at a corner of the region in the middle"),
            [
                _("epsilon"),
                _("square"),
                _("optimised, one w"),
                _("optimised, own w"),
                _("worse off in the region"),
            ],
            [
                [row.epsilon, *map(number, (row.square, row.optimised, row.own)), f"{row.worse:.1%}"]
                for row in results.corner
            ],
            file="corner",
        ),
    ]


def _layout(row: LayoutErrors) -> list[object]:
    errors = row.square, row.documents.mean, row.own.mean, row.width, row.own_width
    return [row.epsilon, *map(number, errors)]


def _people(name: str) -> str:
    return {"even": _("even"), "clustered": _("clustered")}[name]


def _regions(name: str) -> str:
    return {
        "the whole map": _("the whole map"),
        "centre": _("middle"),
        "a corner": _("a corner"),
        "two of the clusters": _("two of the clusters"),
    }[name]


def number(value: float) -> str:
    """Five digits at least, as far as they count."""
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.5g}"
