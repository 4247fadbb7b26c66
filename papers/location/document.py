"""Builds the page of document 002, location privacy: claims, errors of the square mechanism and rivals."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from papers.document_structure import (
    Claim,
    Document,
    PrintedItem,
    Reproduction,
    ReproductionOptions,
    Section,
    Slider,
    Table,
    Verdict,
    format_number,
    judge_claim,
)
from papers.location import expected_errors
from papers.location.expected_errors import LayoutErrors, LocationResults, square_mechanism_with_best_width
from papers.location.plane.square_mechanism import SquareLaw
from papers.svg_figures import Curve, Figure, curve_without_whiskers

PRINTED = {5: 48_239.0, 10: 3_458.7, 15: 267.8, 20: 21.57}
"""Errors in figure 5 of the document by epsilon, for regions in the corners, recomputed to these digits."""


def reproduce(_options: ReproductionOptions) -> Reproduction:
    results = expected_errors.compute_results()
    return Reproduction(lambda: document(results), results.tables())


def document(results: LocationResults) -> Document:
    judgements = claims(results)
    unknown = _("Neither its caption nor its digits are in the repository.")
    others = [
        PrintedItem(_("Figure %(number)s") % {"number": number}, "–", Verdict.UNAVAILABLE, unknown)
        for number in (1, 2, 3, 4, 6)
    ]
    corner = PrintedItem(
        _("Figure %(number)s") % {"number": 5},
        _("Errors with one region in a corner"),
        judgements[1].verdict,
        _("Met to the digits that were computed independently; the document shows curves."),
    )
    return Document(
        "002",
        "location",
        "Feng, Zhu",
        "",
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
        judgements,
        [*others[:4], corner, others[4]],
        sections(results),
    )


def claims(results: LocationResults) -> list[Claim]:
    corners = {row.epsilon: row for row in results.layouts if row.layout == "corners"}
    ours = [corners[epsilon].documents.mean for epsilon in PRINTED]
    worst = [(row.documents.most, row.square) for row in results.layouts]
    worst += [(row.documents.most, row.square) for row in results.several]
    lowest_widths = [format_number(square_mechanism_with_best_width(epsilon).width) for epsilon in (5, 10)]
    tiled = [row for row in results.tiled if row.optimised_best > row.square_best]
    return [
        judge_claim(
            _("Step 1: w' at the lower bound of the budget, 5, and of several regions, 10."),
            ", ".join(lowest_widths),
            lowest_widths == ["601.57", "188.42"],
            _("The best w for even points is the root of a polynomial of degree five."),
        ),
        judge_claim(
            _("Figure 5 (curves; recomputed independently at epsilon 5, 10, 15 and 20): %(figures)s.")
            % {"figures": " / ".join(map(format_number, PRINTED.values()))},
            " / ".join(map(format_number, ours)),
            all(
                abs(error / printed - 1) < 5e-4 for error, printed in zip(ours, PRINTED.values(), strict=True)
            ),
            _("The document shows curves; their digits were computed independently, not read off."),
        ),
        judge_claim(
            _(
                "The utility-optimised mechanism has the smaller error: in the middle, in the corners, several "
                "regions."
            ),
            _("Smaller at every epsilon, in every run and draw."),
            all(error < usual for error, usual in worst),
            _("People outside the regions send their place as it is."),
        ),
        judge_claim(
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


def sections(results: LocationResults) -> list[Section]:
    epsilon, square = (_("epsilon"), "epsilon"), (_("square"), "square")
    errors = [epsilon, square, (_("the document's w"), "documents.mean"), (_("own w"), "own.mean")]
    with_widths = [*errors, (_("the document's w is"), "width"), (_("own w is"), "own_width")]
    middle = Table(
        _("One region in the middle"), with_widths, _layout_rows(results, "centre"), file="layouts"
    )
    corners = Table(
        _("One region in a corner, the mean of four runs"),
        with_widths,
        _layout_rows(results, "corners"),
        file="layouts",
    )
    several = Table(
        _("Several regions with a side of %(side)s, means over %(draws)s draws (seed %(seed)s)")
        % {
            "side": format_number(expected_errors.EIGHTH),
            "draws": expected_errors.DRAWS,
            "seed": expected_errors.SEED,
        },
        [(_("regions"), "count"), *errors],
        results.several,
        _("No two overlap. From epsilon 10 on w' fits, so no region is enlarged."),
        "several",
    )
    best_widths = Table(
        _("The best w"),
        [
            epsilon,
            (_("w, square"), "square"),
            (_("squared error, square"), "square_error"),
            (_("own w, middle"), "centre"),
            (_("own w, corner"), "corner"),
        ],
        results.widths,
        _(
            "Sending the middle of the map always has an error of %(constant)s. Below epsilon 3 or so squared "
            "error rewards a constant answer."
        )
        % {"constant": format_number(expected_errors.CONSTANT)},
        "widths",
    )
    rivals = Table(
        _("Rivals with the same gamma"),
        [
            epsilon,
            square,
            (_("planar Laplace"), "planar_laplace"),
            (_("piecewise by axis"), "piecewise"),
            (_("grid"), "grid"),
            (_("its lines"), "columns"),
        ],
        results.rivals,
        _(
            "Laplace noise and the piecewise law (half of epsilon on each axis) are moved back to the edge of "
            "the map. The best grid sends the middle of a cell; it is nowhere worse than the square mechanism."
        ),
        "rivals",
    )
    tiled = Table(
        _("Where corollary 3 fails: a map tiled by sixteen regions"),
        [
            epsilon,
            (_("one w"), "width"),
            square,
            (_("optimised"), "optimised"),
            (_("square, its best w"), "square_best"),
            (_("optimised, its best w"), "optimised_best"),
        ],
        results.tiled,
        file="tiled",
    )
    corner = Table(
        _("Where corollary 3 fails: somebody at a corner of the region in the middle"),
        [
            epsilon,
            square,
            (_("optimised, one w"), "optimised"),
            (_("optimised, own w"), "own"),
            (_("worse off in the region"), "worse:.1%"),
        ],
        results.corner,
        file="corner",
    )
    layouts = [_layout_figure(results, layout) for layout in expected_errors.LAYOUTS]
    return [
        Section(_("One region"), (), layouts, [middle, corners], [_width_slider()]),
        Section(_("Several regions"), (), [_several_regions_figure(results)], [several]),
        Section(_("The best w"), (), [_widths_figure(results)], [best_widths]),
        Section(_("Rivals"), (), [_rivals_figure(results)], [rivals, _even_and_clustered_table(results)]),
        Section(_("Where corollary 3 fails"), (), [_corollary_figure(results)], [tiled, corner]),
    ]


def _layout_rows(results: LocationResults, layout: str) -> list[LayoutErrors]:
    return [row for row in results.layouts if row.layout == layout]


def _even_and_clustered_table(results: LocationResults) -> Table:
    words = {
        "even": _("even"),
        "clustered": _("clustered"),
        "the whole map": _("the whole map"),
        "centre": _("middle"),
        "a corner": _("a corner"),
        "two of the clusters": _("two of the clusters"),
    }
    return Table(
        _("Even and clustered people"),
        [
            (_("people"), lambda row: words[row.people]),
            (_("regions"), lambda row: words[row.regions]),
            (_("epsilon"), "epsilon"),
            (_("inside"), "inside:.1%"),
            (_("w, even"), "even_width"),
            (_("error"), "even_error"),
            (_("w, fitted"), "fitted_width"),
            (_("error"), "fitted_error"),
            (
                _("simulated"),
                lambda row: f"{format_number(row.simulated)} ± {format_number(row.simulated_reach)}",
            ),
        ],
        results.people,
        _(
            "%(people)s people at even points, and in %(clusters)s clusters (standard deviation %(sd)s, seed "
            "%(seed)s); w for even points, and fitted to these people; the last column is the mean over "
            "%(records)s simulated records of each, with 1.96 standard errors. A survey may fit w only to what "
            "is public."
        )
        % {
            "people": f"{expected_errors.PEOPLE:,}",
            "clusters": expected_errors.CLUSTERS,
            "sd": f"{expected_errors.CLUSTER_SD:g}",
            "seed": expected_errors.SEED,
            "records": expected_errors.RECORDS,
        },
        "people",
    )


def _width_slider() -> Slider:
    """Returns a slider that shows the error over the width w of the square, at epsilon 5."""
    regions = {
        _("square"): (expected_errors.MAP,),
        _("own w, middle"): expected_errors.CENTRE,
        _("own w, corner"): expected_errors.CORNERS[0],
    }
    return Slider(
        _("The width w at epsilon 5"),
        ["w", *regions],
        [
            [
                float(width),
                *(
                    SquareLaw(expected_errors.MAP, areas, 5, float(width)).error()
                    for areas in regions.values()
                ),
            ]
            for width in range(20, 1001, 20)
        ],
        _("Expected squared error; the best w is 601.57 for the square mechanism and 519.54 in the middle."),
        29,
    )


def _layout_figure(results: LocationResults, layout: str) -> Figure:
    rows = _layout_rows(results, layout)
    titles = {
        "centre": _("One region in the middle, half of the map's side"),
        "corners": _("Figure 5: one region in a corner, the mean of four runs"),
    }
    curves = [
        curve_without_whiskers(_("square"), [row.square for row in rows]),
        curve_without_whiskers(_("the document's w"), [row.documents.mean for row in rows]),
        curve_without_whiskers(_("own w"), [row.own.mean for row in rows]),
    ]
    return _error_figure(titles[layout], expected_errors.EPSILONS, curves)


def _several_regions_figure(results: LocationResults) -> Figure:
    curves = [
        curve_without_whiskers(
            _("square"), [row.square for row in results.several if row.count == expected_errors.COUNTS[0]]
        )
    ]
    for count in expected_errors.COUNTS:
        spreads = [row.documents for row in results.several if row.count == count]
        ends = ([getattr(spread, part) for spread in spreads] for part in ("mean", "least", "most"))
        curves.append(Curve(_("%(count)s regions") % {"count": count}, *ends))
    note = _("the document's w; mean, smallest and largest of ten draws of where the regions are")
    return _error_figure(
        _("Regions of one eighth of the side"), expected_errors.SEVERAL_EPSILONS, curves, note=note
    )


def _widths_figure(results: LocationResults) -> Figure:
    curves = [
        curve_without_whiskers(_("square"), [row.square for row in results.widths]),
        curve_without_whiskers(_("own w, middle"), [row.centre for row in results.widths]),
        curve_without_whiskers(_("own w, corner"), [row.corner for row in results.widths]),
    ]
    return Figure(
        _("The best w"),
        _("epsilon"),
        "w",
        list(expected_errors.WIDTH_EPSILONS),
        curves,
        note=_("computed, for even points"),
        apart=0,
    )


def _rivals_figure(results: LocationResults) -> Figure:
    curves = [
        curve_without_whiskers(_("square"), [row.square for row in results.rivals]),
        curve_without_whiskers(_("planar Laplace"), [row.planar_laplace for row in results.rivals]),
        curve_without_whiskers(_("piecewise by axis"), [row.piecewise for row in results.rivals]),
        curve_without_whiskers(_("grid"), [row.grid for row in results.rivals]),
    ]
    level = _("the middle of the map, always"), expected_errors.CONSTANT
    return _error_figure(
        _("The square mechanism and rivals with the same gamma"), expected_errors.EPSILONS, curves, level
    )


def _corollary_figure(results: LocationResults) -> Figure:
    curves = [
        curve_without_whiskers(_("tiled map, one w"), [row.optimised / row.square for row in results.tiled]),
        curve_without_whiskers(
            _("tiled, each its best"), [row.optimised_best / row.square_best for row in results.tiled]
        ),
        curve_without_whiskers(_("corner, one w"), [row.optimised / row.square for row in results.corner]),
        curve_without_whiskers(_("corner, own w"), [row.own / row.square for row in results.corner]),
    ]
    up = _("error, as a multiple of square's")
    title = _("Where corollary 3 fails: above 1")
    return Figure(
        title,
        _("epsilon"),
        up,
        list(expected_errors.EPSILONS),
        curves,
        note=_("computed, for even points"),
        apart=0,
    )


def _error_figure(
    title: str,
    x_values: Sequence[int],
    curves: Sequence[Curve],
    level: tuple[str, float] | None = None,
    note: str = "",
) -> Figure:
    up = _("expected squared error")
    return Figure(
        title,
        _("epsilon"),
        up,
        list(x_values),
        curves,
        level,
        note or _("computed, for even points"),
        logarithmic=True,
        apart=0,
    )
