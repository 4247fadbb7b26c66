"""Builds the page of document 002, location privacy: judgements, errors of the square mechanism and rivals."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import expm1, log, sqrt
from operator import attrgetter

import numpy as np
from django.utils.translation import gettext as _

from papers.csv_and_example_tables import percent
from papers.document_structure import (
    Document,
    Judgement,
    OwnData,
    Reproduction,
    ReproductionOptions,
    Section,
    Slider,
    Table,
    Verdict,
    format_number,
    in_part_if,
    judge,
)
from papers.location import expected_errors
from papers.location.expected_errors import (
    LayoutErrors,
    LocationResults,
    optimised_with_best_width,
    square_mechanism_with_best_width,
)
from papers.svg_figures import Curve, Figure, curve_without_whiskers
from privacy.plane.square_mechanism import SquareLaw

PEOPLE = 10_000
"""Number of simulated people outside the region in the middle."""


def reproduce(_options: ReproductionOptions) -> Reproduction:
    results = expected_errors.compute_results()
    return Reproduction(lambda: document(results), results.tables())


def document(results: LocationResults) -> Document:
    return Document(
        "location",
        "Feng Ligang, Zhu Youwen",
        "",
        ("002", "hong-2021", "murakami-2019", "andres-2013", "wang-2019"),
        [
            _(
                "The square mechanism sends a point of a square of width w around the true place with "
                "density a e^eps, and any other point of the map with density a. Its utility-optimised "
                "form protects people inside sensitive regions only; others send their place as it is, "
                "with a stated probability. The map has the side 2,000; a region has half of that unless "
                "said. Errors are expected squared distances, from closed forms (docs/mathematics.md, "
                "Places on the plane)."
            ),
            _(
                "The document's w is the square mechanism's best at each epsilon. In step 1, a region with "
                "a side below w' is enlarged to w'; w' is computed once, at the lower bound of the budget. "
                "The own w is the best of the utility-optimised mechanism."
            ),
            _(
                "The text begins with the authors and has no title. Most of its formulas are missing: "
                "their numbers stand alone. Its Chinese is traditional, with letters between some signs; "
                "quotes are as they stand."
            ),
        ],
        [*judgements_of_mechanisms(results), *judgements_of_comparisons(results)],
        sections(results),
        [
            OwnData(
                _("The best square of a plane with regions of yours, and its error:"),
                "candor square-mechanism 2000 2000 5 --region 0,0,1000,1000",
            ),
            OwnData(
                _("Places on a map of cells with sensitive regions, a kind of question:"),
                "candor estimate DESIGN.json RECORDS.csv --question place",
            ),
        ],
    )


def judgements_of_mechanisms(results: LocationResults) -> Iterator[Judgement]:
    """Judges the formulas, both corollaries on privacy and the best w, at epsilon 5 and one region in the middle."""
    square_law = square_mechanism_with_best_width(5)
    (region,) = expected_errors.CENTRE
    law = SquareLaw(expected_errors.MAP, expected_errors.CENTRE, 5, square_law.width)
    width = format_number(law.width)
    place = np.array([[450.0, -20.0]])
    on_map, in_region = (
        area.nearest_square_centres(2 * place if area is expected_errors.MAP else place, law.width)[0]
        for area in (expected_errors.MAP, region)
    )
    moved = {"x": 450, "y": -20, "cx": format_number(float(in_region[0])), "cy": f"{in_region[1]:g}"}
    yield judge(
        "002-2",
        in_part_if(on_map[0] + law.width / 2 <= 1000 + 1e-6),
        x=900,
        y=-40,
        width=width,
        cx=format_number(float(on_map[0])),
        cy=f"{on_map[1]:g}",
    )
    fits = in_region[0] + law.width / 2 <= 500 + 1e-6
    yield judge("002-8", in_part_if(fits), width=width, **moved)
    yield judge("002-figure-1", fits, **moved)
    laws = (law, optimised_with_best_width(expected_errors.CENTRE, 20))
    ratios = [log(one.near_probability / one.width**2 / one.base_density + 1) for one in laws]
    yield judge("002-1", ratios[0] <= 5 + 1e-9, log=f"{ratios[0]:g}")
    yield judge("002-uldp-2", ratios[0] <= 5 + 1e-9, log=f"{ratios[0]:g}")
    yield judge("002-corollary-1", ratios[1] <= 20 + 1e-9, log=f"{ratios[0]:g}", log20=f"{ratios[1]:g}")
    totals = [
        f"{one.base_density * (one.area + expm1(one.epsilon) * one.width**2):g}" for one in (square_law, law)
    ]
    yield judge("002-3", in_part_if(totals[0] == "1"), total=totals[0])
    yield judge("002-9", in_part_if(totals[1] == "1"), total=totals[1])
    outside = law.near_probability + law.base_density * law.area
    yield judge(
        "002-10",
        in_part_if(abs(outside - 1) < 1e-9),
        near=f"{law.near_probability:.4f}",
        total=f"{outside:g}",
    )
    rng = np.random.default_rng(expected_errors.SEED)
    people = expected_errors.MAP.draw(4 * PEOPLE, rng)
    people = people[~region.contains_points(people)][:PEOPLE]
    sent = law.draw(people, rng)
    own = (sent == people).all(axis=1)
    apart = bool((own | region.contains_points(sent)).all())
    yield judge("002-uldp-1", in_part_if(apart), people=f"{PEOPLE:,}")
    yield judge(
        "002-corollary-2",
        apart,
        own=f"{own.sum():,}",
        people=f"{PEOPLE:,}",
        near=f"{law.near_probability:.4f}",
    )
    middle, corner, edge = np.array([[0.0, 0.0]]), np.array([[1000.0, 1000.0]]), expected_errors.AT_CORNER
    at = {
        one: [format_number(float(one.error_at(point)[0])) for point in (middle, corner, edge)]
        for one in (square_law, law)
    }
    points = expected_errors.MAP.draw(200_000, rng)
    mean, squares = square_law.error_at(points), ((square_law.draw(points, rng) - points) ** 2).sum(axis=1)
    reach = 4 * float(squares.std()) / sqrt(len(points))
    yield judge("002-4", in_part_if(abs(float(squares.mean() - mean.mean())) < reach))
    yield judge(
        "002-5",
        in_part_if(float(mean.min()) < square_law.error() < float(mean.max())),
        middle=at[square_law][0],
        corner=at[square_law][1],
    )
    closed = square_law.error()
    yield judge(
        "002-6",
        in_part_if(abs(float(mean.mean()) / closed - 1) < 0.01),
        closed=format_number(closed),
        points=f"{len(points):,}",
        mean=format_number(float(mean.mean())),
    )
    yield judge("002-12", in_part_if(fits), middle=at[law][0], corner=at[law][2])
    yield judge("002-13", in_part_if(fits), corner=at[law][1])
    exact = [square_mechanism_with_best_width(epsilon).width for epsilon in (5, 10)]
    cobyla = [expected_errors.width_by_cobyla(epsilon) for epsilon in (5, 10)]
    widths = ", ".join(map(format_number, exact))
    yield judge("002-7", in_part_if(exact[0] > exact[1]), widths=widths)
    agree = all(abs(one / other - 1) < 1e-4 for one, other in zip(cobyla, exact, strict=True))
    yield judge("002-cobyla", agree, cobyla=", ".join(map(format_number, cobyla)), exact=widths)
    yield judge("002-step-1", in_part_if(agree), widths=widths)


def judgements_of_comparisons(results: LocationResults) -> Iterator[Judgement]:
    """Judges what is better than what, for even points, and the open questions."""
    laplace, piecewise = (
        [f"{noise(row) / row.square:.1f}" for row in results.rivals]
        for noise in (attrgetter("planar_laplace"), attrgetter("piecewise"))
    )
    beaten = all(row.square < row.piecewise < row.planar_laplace for row in results.rivals)
    yield judge("002-planar-laplace", beaten, least=laplace[0], most=laplace[-1])
    yield judge("002-piecewise", beaten, least=piecewise[0], most=piecewise[-1])
    grids = _span([row.grid / row.square for row in results.rivals])
    grid_wins = all(row.grid < row.square for row in results.rivals)
    yield judge("002-grids", in_part_if(grid_wins), **grids)
    yield judge("002-best", in_part_if(beaten) if grid_wins else beaten, **grids)
    worse = [row for row in results.tiled if row.optimised_best > row.square_best]
    yield judge("002-corollary-3", not worse, count=len(worse))
    sides = expected_errors.errors_by_region_side(5)
    yield judge(
        "002-area",
        in_part_if(sides == sorted(sides)),
        least=format_number(sides[0]),
        most=format_number(sides[-1]),
    )
    tiled = results.tiled[0]
    ours = [format_number(of) for of in (sides[-1], tiled.square_best, tiled.optimised_best)]
    yield judge(
        "002-whole-map",
        in_part_if(ours[0] == ours[1] != ours[2]),
        **dict(zip(("one", "square", "tiled"), ours, strict=True)),
    )
    widest, *_others, narrowest = results.widths
    falls = all(
        first.square > second.square and first.square_error > second.square_error
        for first, second in pairwise(results.widths)
    )
    ends = {
        "narrow": narrowest.square,
        "wide": widest.square,
        "least": narrowest.square_error,
        "most": widest.square_error,
    }
    yield judge("002-smaller-epsilon", falls, **{name: format_number(value) for name, value in ends.items()})
    shown = [format_number(row.square) for row in results.widths if row.epsilon == 1 or row.epsilon % 5 == 0]
    yield judge("002-figure-2", falls, widths=", ".join(shown))
    ratios = {
        layout: [row.documents.most / row.square for row in _layout_rows(results, layout)]
        for layout in expected_errors.LAYOUTS
    }
    several = [row.documents.most / row.square for row in results.several]
    fitted = {(row.people, row.regions, row.epsilon): row.fitted_error for row in results.people}
    clustered = all(
        fitted["clustered", "centre", epsilon] < fitted["clustered", "the whole map", epsilon]
        for epsilon in expected_errors.PEOPLE_EPSILONS
    )
    in_part = in_part_if(clustered and max(ratios["centre"]) < 1)
    yield judge("002-middle", in_part, **_span(ratios["centre"]))
    for name, errors in (("corners", ratios["corners"]), ("several", several)):
        yield judge(f"002-{name}", in_part_if(max(errors) < 1), **_span(errors))
    for number in (3, 4, 5, 6):
        yield judge(f"002-figure-{number}", Verdict.NOT_PUBLIC)
    yield judge("002-conclusion", in_part_if(bool(worse) and max(several) < 1))
    yield judge("002-levels", Verdict.BEYOND)
    own = (_layout_rows(results, layout)[0] for layout in expected_errors.LAYOUTS)
    saved = [percent(row.own.mean / row.documents.mean) for row in own]
    yield judge("002-better-w", Verdict.BEYOND, middle=saved[0], corner=saved[1])
    yield judge("002-trajectories", Verdict.BEYOND)


def _span(shares: Sequence[float]) -> dict[str, str]:
    return {"least": percent(min(shares)), "most": percent(max(shares))}


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
            "Sending the middle of the map always has an error of %(constant)s. Below epsilon 3 or so "
            "squared error rewards a constant answer."
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
            "Laplace noise and the piecewise law (half of epsilon on each axis) are moved back to the edge "
            "of the map. The best grid sends the middle of a cell; it is nowhere worse than the square "
            "mechanism."
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
            "%(people)s people at even points, and in %(clusters)s clusters (standard deviation %(sd)s, "
            "seed %(seed)s); w for even points, and fitted to these people; the last column is the mean "
            "over %(records)s simulated records of each, with 1.96 standard errors. A survey may fit w "
            "only to what is public."
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
