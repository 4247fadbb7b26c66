"""The figures: w, and squared errors over epsilon."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from papers.drawing import Curve, Figure, line
from papers.location.errors import CONSTANT, LocationResults, Spread
from papers.location.settings import COUNTS, EPSILONS, SEVERAL_EPSILONS, WIDTH_EPSILONS


def figures(results: LocationResults) -> list[Figure]:
    return [
        *(_layout(results, layout) for layout in ("centre", "corners")),
        _several(results),
        _widths(results),
        _rivals(results),
        _corollary(results),
    ]


def _layout(results: LocationResults, layout: str) -> Figure:
    rows = [row for row in results.layouts if row.layout == layout]
    titles = {
        "centre": _("One region in the middle, half of the map's side"),
        "corners": _("Figure 5: one region in a corner, the mean of four runs"),
    }
    curves = [
        line(_("square"), [row.square for row in rows]),
        line(_("the document's w"), [row.documents.mean for row in rows]),
        line(_("own w"), [row.own.mean for row in rows]),
    ]
    return _errors(titles[layout], EPSILONS, curves)


def _several(results: LocationResults) -> Figure:
    curves = [line(_("square"), [row.square for row in results.several if row.count == COUNTS[0]])]
    for count in COUNTS:
        spreads = [row.documents for row in results.several if row.count == count]
        curves.append(_spread(_("%(count)s regions") % {"count": count}, spreads))
    note = _("the document's w; mean, smallest and largest of ten draws of where the regions are")
    return _errors(_("Regions of one eighth of the side"), SEVERAL_EPSILONS, curves, note=note)


def _widths(results: LocationResults) -> Figure:
    curves = [
        line(_("square"), [row.square for row in results.widths]),
        line(_("own w, middle"), [row.centre for row in results.widths]),
        line(_("own w, corner"), [row.corner for row in results.widths]),
    ]
    return Figure(_("The best w"), _("epsilon"), "w", list(WIDTH_EPSILONS), curves, note=_note(), apart=0)


def _rivals(results: LocationResults) -> Figure:
    curves = [
        line(_("square"), [row.square for row in results.rivals]),
        line(_("planar Laplace"), [row.planar_laplace for row in results.rivals]),
        line(_("piecewise by axis"), [row.piecewise for row in results.rivals]),
        line(_("grid"), [row.grid for row in results.rivals]),
    ]
    level = _("the middle of the map, always"), CONSTANT
    return _errors(_("The square mechanism and rivals with the same gamma"), EPSILONS, curves, level)


def _corollary(results: LocationResults) -> Figure:
    curves = [
        line(_("tiled map, one w"), [row.optimised / row.square for row in results.tiled]),
        line(_("tiled, each its best"), [row.optimised_best / row.square_best for row in results.tiled]),
        line(_("corner, one w"), [row.optimised / row.square for row in results.corner]),
        line(_("corner, own w"), [row.own / row.square for row in results.corner]),
    ]
    up = _("error, as a multiple of square's")
    title = _("Where corollary 3 fails: above 1")
    return Figure(title, _("epsilon"), up, list(EPSILONS), curves, note=_note(), apart=0)


def _note() -> str:
    return _("computed, for even points")


def _errors(
    title: str,
    at: Sequence[int],
    curves: Sequence[Curve],
    level: tuple[str, float] | None = None,
    note: str = "",
) -> Figure:
    up = _("expected squared error")
    return Figure(
        title, _("epsilon"), up, list(at), curves, level, note or _note(), logarithmic=True, apart=0
    )


def _spread(name: str, values: Sequence[Spread]) -> Curve:
    return Curve(name, *([getattr(spread, part) for spread in values] for part in ("mean", "least", "most")))
