"""Draws the maps of a place on the server: shares of regions, observed cells, and the illustration (the likeliest
distribution).

A map has one SVG path per region, or one for all cells of one fill. Fills are classes of the page's stylesheet, so that
one drawing serves light, dark and paper.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from django.utils.translation import gettext as _

from mining.nodes.place_nodes import Values
from reports.estimate_texts import is_outside_interval
from reports.kinds.place.map_fills import (
    NOT_TOLD,
    OUTSIDE_REGIONS,
    STEPS,
    FillScale,
    legend_against_equal_share,
    legend_against_other_groups,
)
from reports.kinds.place.map_labels import MapLabel, shorten_labels_to_fit
from reports.kinds.place.map_svg_paths import MapGeometry
from reports.kinds.place.region_reference_comparison import (
    Comparison,
    compare_with_equal_share,
    compare_with_other_classes,
)
from reports.kinds.place.shown_place import PlaceGroup, Region, ShownPlace
from reports.pictures.picture import PictureColumn
from ui.number_format import format_count, format_percent

WITHHELD, OUTSIDE, UNCERTAIN, RECEIVED = "withheld", "outside", "uncertain", "received"
REGION = "region"
"""Stylesheet class that draws a line around a region, so that touching regions of one shade are told apart."""

MOST_ROWS = 200
"""Largest number of rows of a map's table on the page."""
FILE_WIDTH, HEAD, GAP, LINE = 640, 32, 24, 24
"""Sizes in an SVG file, in pixels: its least width, the title, the space below a panel, a line of the legend."""


Layer = tuple[str, str]
"""All areas of one fill: its stylesheet classes, and the SVG path."""
LegendEntry = tuple[str, str]
"""A fill, and its meaning."""


@dataclass(frozen=True)
class MapPanel:
    """One drawing of a map; the only drawing has an empty `label`."""

    label: str
    geometry: MapGeometry
    layers: Sequence[Layer]
    labels: Sequence[MapLabel]


@dataclass(frozen=True)
class PlaceMap:
    """A map and the table of its numbers.

    `note` warns of a wrong conclusion from the map.
    """

    name: str
    title: str
    about: str
    panels: Sequence[MapPanel]
    legend: Sequence[LegendEntry]
    columns: Sequence[PictureColumn]
    rows: Sequence[Sequence[object]]
    note: str = ""

    @property
    def cells(self) -> list[list[tuple[PictureColumn, object]]]:
        """The first rows of the table as the page shows them; the file has all."""
        return [list(zip(self.columns, row, strict=True)) for row in self.rows[:MOST_ROWS]]

    @property
    def omitted(self) -> int:
        return max(len(self.rows) - MOST_ROWS, 0)

    @property
    def has_numbers(self) -> bool:
        """True if a region shows a number because its name does not fit; the table must then explain the number."""
        return any(not label.name for panel in self.panels for label in panel.labels)

    @property
    def width(self) -> int:
        """Width of the SVG file, which has the panels below each other and then the legend."""
        return max(FILE_WIDTH, *(panel.geometry.width for panel in self.panels))

    @property
    def panels_with_top_offset(self) -> list[tuple[int, MapPanel]]:
        """Each panel with its distance from the top of the file."""
        heights = [panel.geometry.height + GAP for panel in self.panels]
        tops = accumulate(heights, initial=HEAD)
        return list(zip(tops, self.panels, strict=False))

    @property
    def legend_with_top_offset(self) -> list[tuple[int, str, str]]:
        """Each entry of the legend with its distance from the top of the file."""
        first = HEAD + sum(panel.geometry.height + GAP for panel in self.panels)
        return [(first + place * LINE, *entry) for place, entry in enumerate(self.legend)]

    @property
    def height(self) -> int:
        return self.legend_with_top_offset[-1][0] + LINE


# --- regions --------------------------------------------------------------------------------------------

FILLS = {
    Comparison.BELOW: f"{REGION} step-1",
    Comparison.NOT_TOLD: f"{REGION} step-2",
    Comparison.ABOVE: f"{REGION} step-4",
}
"""Fill of a region by the outcome of its comparison; a region without a shown difference is also striped."""

Compared = tuple[Region, Comparison]


def share_map(place: ShownPlace) -> PlaceMap | None:
    """Draws the share of each region, coloured by its comparison with an equal share; None if no share is known."""
    inside = [one for one in place.regions if one.number and one.share is not None]
    if not place.is_known:
        return None
    equal = 1 / len(place.answers)
    compared = [(one, _compare_region(one, equal, len(inside))) for one in place.regions]
    about = _(
        "Each region is compared with an equal share: %(share)s, if all %(answers)s answers had the same, whatever "
        "their size. At most 5 %% of such maps show a difference, in any region, where there is none."
    )
    values = {"share": format_percent(equal), "answers": format_count(len(place.answers))}
    return PlaceMap(
        f"place-{place.place}",
        _joined_title(_("Shares of regions"), place.text),
        about % values,
        [_region_panel(place, "", compared)],
        _region_legend(legend_against_equal_share(equal), compared),
        [*_region_columns(), *_truth_columns(place.regions)],
        [
            [*_region_row(one), *([one.node.truth] if _truth_columns(place.regions) else [])]
            for one in place.regions
        ],
    )


def _compare_region(region: Region, equal: float, regions: int) -> Comparison:
    if region.share is None:
        return Comparison.NOT_TOLD
    return compare_with_equal_share(region.share, region.node.low, region.node.high, equal, regions)


def class_share_map(group: PlaceGroup) -> PlaceMap | None:
    """Draws one map per class of a plain question; regions are compared with the same region in all other classes."""
    rows = {
        row.item: compare_with_other_classes(group.of.content, group.node, row) for row in group.node.rows
    }
    nothing = (Comparison.NOT_TOLD,) * len(group.classes)
    classes = [
        (one, [(region, rows.get(region.answer.name, nothing)[at]) for region in one.node])
        for at, one in enumerate(group.classes)
        if any(region.share is not None for region in one.node)
    ]
    if not classes:
        return None
    return PlaceMap(
        f"place-{group.of.place}-{group.place}",
        _joined_title(_("Shares of regions"), group.of.text, group.text),
        _(
            "One map for each group. Each region is compared with its share in all other groups together. As at the "
            "top of the report, only the clearest difference of each region is shown."
        ),
        [_region_panel(group.of, one.words, compared) for one, compared in classes],
        _region_legend(
            legend_against_other_groups(), [one for _class, compared in classes for one in compared]
        ),
        [PictureColumn("class", group.text, "words"), *_region_columns()],
        [[one.words, *_region_row(region)] for one, _compared in classes for region in one.node],
    )


def _joined_title(*parts: str) -> str:
    return " · ".join(parts)


def _region_panel(place: ShownPlace, label: str, regions: Sequence[Compared]) -> MapPanel:
    inside = [one for one in regions if one[0].number]
    layers = [*_layer(place, OUTSIDE, place.question.law.cells_outside_regions)]
    for region, compared in inside:
        layers += _layer(
            place, f"{REGION} {WITHHELD}" if region.share is None else FILLS[compared], region.cells
        )
        is_striped = region.share is not None and compared == Comparison.NOT_TOLD
        layers += _layer(place, UNCERTAIN, region.cells if is_striped else ())
    geometry = place.geometry
    figures = [
        MapLabel(*geometry.label_position(region.number - 1), _share_text(region), region.answer.choice)
        for region, _compared in inside
    ]
    if label:
        # A small map of a class has figures alone: the large one names the regions.
        return MapPanel(label, geometry, layers, [replace(one, name="") for one in figures])
    numbers = [str(region.number) for region, _compared in inside]
    named = shorten_labels_to_fit(geometry.width, geometry.height, list(zip(numbers, figures, strict=True)))
    return MapPanel(label, geometry, layers, named)


def _share_text(region: Region) -> str:
    """Returns the share in whole percent; a dash where it is withheld or impossible."""
    known = region.share is not None and not is_outside_interval(
        region.share, region.node.low, region.node.high
    )
    return format_percent(region.share, 0) if known else "–"


def _region_legend(words: Mapping[Comparison, str], shown: Sequence[Compared]) -> list[LegendEntry]:
    """Returns the entries of the legend: all three comparisons, even if the map shows none of a kind."""
    entries = [
        (UNCERTAIN if compared == Comparison.NOT_TOLD else fill, words[compared])
        for compared, fill in FILLS.items()
    ]
    if any(region.share is None for region, _compared in shown if region.number):
        entries.append((WITHHELD, str(NOT_TOLD)))
    if any(not region.number for region, _compared in shown):
        entries.append((OUTSIDE, str(OUTSIDE_REGIONS)))
    return entries


def _region_columns() -> list[PictureColumn]:
    return [
        PictureColumn("number", _("On the map"), "words"),
        PictureColumn("region", _("Region"), "words"),
        PictureColumn("share", _("Share"), "estimate"),
        PictureColumn("low", _("Interval from")),
        PictureColumn("high", _("Interval to")),
    ]


def _region_row(region: Region) -> list[object]:
    return [str(region.number or "–"), region.answer.choice, region.share, region.node.low, region.node.high]


def _truth_columns(regions: Sequence[Region]) -> list[PictureColumn]:
    known = any(one.node.truth is not None for one in regions)
    return [PictureColumn("truth", _("Truth"))] if known else []


# --- cells ----------------------------------------------------------------------------------------------


def received_map(place: ShownPlace) -> PlaceMap | None:
    about = _(
        "Each cell is filled by its share of the records as they came: the stronger the shade, the more. Dotted cells "
        "lie in a region, where the disguise has moved most records. The others were sent as they are."
    )
    return _cell_map(place, RECEIVED, _("Observed (disguised)"), about, place.node.received, dots=True)


def likeliest_distribution_map(place: ShownPlace) -> PlaceMap | None:
    about = _(
        "The distribution over the cells that makes the records likeliest, by expectation maximisation."
    )
    note = _("It has no error that could be stated, and its peaks may be random: conclude nothing from it.")
    return _cell_map(place, "illustration", _("Illustration"), about, place.node.illustration, note)


def _cell_map(
    place: ShownPlace,
    name: str,
    title: str,
    about: str,
    values: Values,
    note: str = "",
    *,
    dots: bool = False,
) -> PlaceMap | None:
    """Draws a map of a value per cell; `dots` marks the cells inside regions."""
    known = [share for share in values if share is not None]
    if not known:
        return None
    scale = FillScale.up_to(max(known))
    rows = [
        (place.cell_text(number), place.region_text(number).choice, share)
        for number, share in enumerate(values)
    ]
    rows.sort(key=lambda row: (row[2] is None, -(row[2] or 0.0)))
    return PlaceMap(
        f"place-{place.place}-{name}",
        _joined_title(title, place.text),
        about,
        [MapPanel("", place.geometry, _cell_layers(place, values, scale, dots=dots), [])],
        _cell_legend(scale, dots=dots, withheld=len(known) < len(values)),
        [
            PictureColumn("cell", _("Cell"), "words"),
            PictureColumn("region", _("Region"), "words"),
            PictureColumn(name, title, "small-share"),
        ],
        rows,
        note,
    )


def _cell_layers(place: ShownPlace, values: Values, scale: FillScale, *, dots: bool) -> list[Layer]:
    """Returns one layer per fill, with all its cells."""
    cells: dict[str, list[int]] = {}
    for number, share in enumerate(values):
        fill = WITHHELD if share is None else f"step-{scale.step(share)}"
        cells.setdefault(fill, []).append(number)
    dotted = [number for number in place.question.law.cells_in_regions if dots and values[number] is not None]
    filled = [layer for fill in sorted(cells) for layer in _layer(place, fill, cells[fill])]
    return [*filled, *_layer(place, RECEIVED, dotted)]


def _cell_legend(scale: FillScale, *, dots: bool, withheld: bool) -> list[LegendEntry]:
    entries = [(f"step-{step}", scale.step_text(step)) for step in range(1, STEPS + 1)]
    if dots:
        entries.append((RECEIVED, _("dotted: in a region, so disguised")))
    if withheld:
        entries.append((WITHHELD, _("withheld: fewer than ten people, or beside such")))
    return entries


# --- what all maps share --------------------------------------------------------------------------------


def _layer(place: ShownPlace, fill: str, cells: Sequence[int]) -> list[Layer]:
    return [(fill, place.geometry.cells_path(cells))] if cells else []


def map_makers(places: Iterable[ShownPlace]) -> dict[str, Callable[[], PlaceMap | None]]:
    """Returns the function that draws each map, by the map's name."""
    makers: dict[str, Callable[[], PlaceMap | None]] = {}
    for place in places:
        makers[f"place-{place.place}"] = partial(share_map, place)
        makers[f"place-{place.place}-received"] = partial(received_map, place)
        makers[f"place-{place.place}-illustration"] = partial(likeliest_distribution_map, place)
        for group in place.groups:
            makers[f"place-{place.place}-{group.place}"] = partial(class_share_map, group)
    return makers
