"""The figures: w, and squared errors over epsilon."""

from collections.abc import Iterator, Sequence

from papers.drawing import Curve, Figure
from papers.location.errors import CONSTANT, EVERYBODY, LayoutErrors, Spread
from papers.location.results import LocationResults
from papers.location.settings import COUNTS, EPSILONS, LAYOUTS, SEVERAL_EPSILONS, WIDTH_EPSILONS

SQUARE, PAPER, OWN = "square", "paper's w", "own w"
ACROSS, ERROR, RATIO = "epsilon", "expected squared error", "error, as a multiple of square's"
NOTE = "computed, for even points"
PLACES = {"centre": "One region in the middle", "corners": "Four regions in the corners"}


def figures(found: LocationResults) -> Iterator[tuple[str, Figure]]:
    """Names of files, without extension, and figures."""
    yield "widths", _widths(found)
    yield "baselines", _baselines(found)
    for layout in LAYOUTS:
        yield layout, _layout(layout, _everybody(found, layout))
    yield "own-width", _own_width(found)
    yield "several", _several(found)
    yield "tiled", _tiled(found)
    yield "corner", _corner(found)


def _everybody(found: LocationResults, layout: str) -> list[LayoutErrors]:
    return [row for row in found.layouts if (row.layout, row.who) == (layout, EVERYBODY)]


def _widths(found: LocationResults) -> Figure:
    curves = [
        _line(SQUARE, [row.square for row in found.widths]),
        _line("own w, centre", [row.centre for row in found.widths]),
        _line("own w, corners", [row.corners for row in found.widths]),
    ]
    title = "The best w, at most the shortest side of a region"
    return Figure(title, ACROSS, "w", list(WIDTH_EPSILONS), curves, note=NOTE, apart=0)


def _layout(layout: str, rows: Sequence[LayoutErrors]) -> Figure:
    curves = [
        _line(SQUARE, [row.square for row in rows]),
        _line(PAPER, [row.paper for row in rows]),
        _line(OWN, [row.own for row in rows]),
    ]
    return _errors(f"{PLACES[layout]}, a quarter of the map", EPSILONS, curves)


def _own_width(found: LocationResults) -> Figure:
    curves = []
    for layout in LAYOUTS:
        rows = _everybody(found, layout)
        curves.append(_line(f"{PAPER}, {layout}", [row.paper / row.square for row in rows]))
        curves.append(_line(f"{OWN}, {layout}", [row.own / row.square for row in rows]))
    return _ratios("What the own w gains", curves, NOTE)


def _baselines(found: LocationResults) -> Figure:
    curves = [
        _line(SQUARE, [row.square for row in found.baselines]),
        _line("planar Laplace", [row.planar_laplace for row in found.baselines]),
        _line("grid's response", [row.grid for row in found.baselines]),
    ]
    level = "the middle of the map, always", CONSTANT
    return _errors("The square mechanism beside others of the same gamma", EPSILONS, curves, level)


def _several(found: LocationResults) -> Figure:
    by_count = {count: [row for row in found.several if row.count == count] for count in COUNTS}
    curves = [_line(SQUARE, [row.square for row in by_count[COUNTS[0]]])]
    curves += [_spread(f"{count} regions", [row.own for row in rows]) for count, rows in by_count.items()]
    note = "own w, even points; mean, least and most of ten draws of where the regions lie"
    return _errors("Regions of one eighth of the side", SEVERAL_EPSILONS, curves, note=note)


def _tiled(found: LocationResults) -> Figure:
    curves = [
        _line("one w", [row.optimised / row.square for row in found.tiled]),
        _line("each its best", [row.optimised_best / row.square_best for row in found.tiled]),
    ]
    return _ratios("A map tiled by sixteen regions", curves, f"{NOTE}; 1: as the square mechanism")


def _corner(found: LocationResults) -> Figure:
    curves = [
        _line("one w", [row.optimised / row.square for row in found.corner]),
        _line(OWN, [row.own / row.square for row in found.corner]),
    ]
    title = "Somebody at a corner of the region in the middle"
    return _ratios(title, curves, "computed; 1: as the square mechanism")


def _ratios(title: str, curves: Sequence[Curve], note: str) -> Figure:
    return Figure(title, ACROSS, RATIO, list(EPSILONS), curves, note=note, apart=0)


def _errors(
    title: str,
    at: Sequence[int],
    curves: Sequence[Curve],
    level: tuple[str, float] | None = None,
    note: str = NOTE,
) -> Figure:
    return Figure(title, ACROSS, ERROR, list(at), curves, level, note, logarithmic=True, apart=0)


def _line(name: str, values: Sequence[float]) -> Curve:
    return Curve(name, values, values, values)


def _spread(name: str, values: Sequence[Spread]) -> Curve:
    return Curve(name, *([getattr(of, part) for of in values] for part in ("mean", "least", "most")))
