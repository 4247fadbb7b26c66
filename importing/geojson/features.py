"""Parses the features of a GeoJSON file (RFC 7946) into names and rings, or reports the fault and its
position."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise

from importing.geojson.ring_crossings import Point, first_crossing
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value
from privacy.grammar.json_node import Node, read_json
from privacy.kinds.place.section import MOST_CELLS

FINE = 10**9
"""Steps per degree in which coordinates are parsed, a tenth of a millimetre each; all later arithmetic is exact."""
MOST_POINTS = 100_000
"""Highest number of points in a file, far more than a place question can have."""
LONGITUDE, LATITUDE = 180, 90
NAMES = ("name", "NAME", "id")
"""Properties that may contain a feature's name; the first that exists is used."""
WGS_84 = frozenset({"urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:OGC::CRS84", "OGC:CRS84", "EPSG:4326"})
AS_WGS_84 = _("other coordinates than longitude and latitude: export the file as WGS 84 (EPSG:4326)")


@dataclass(frozen=True)
class Area:
    """A named feature of the file, with one ring of corners for each of its polygons.

    The closing corner of a ring, which repeats the first, is left out.
    """

    name: str
    path: str
    rings: tuple[list[Point], ...]


@dataclass
class _PointBudget:
    """Counts the points parsed; refuses a file with too many."""

    left: int = MOST_POINTS

    def spend(self, node: Node) -> None:
        self.left -= 1
        if self.left < 0:
            raise node.refuse(
                _("the file holds more than %(most)s points: simplify the shapes"), most=f"{MOST_POINTS:,}"
            )


@dataclass
class _FeatureReader:
    """Parses features one by one; refuses repeated names."""

    budget: _PointBudget = field(default_factory=_PointBudget)
    names: set[str] = field(default_factory=set)

    def read_area(self, node: Node) -> Area:
        members = node.object_members()
        _check_type(node, members, "Feature", _("must be a Feature"))
        _check_coordinate_system(members)
        name = self._read_name(node, members)
        rings = tuple(self._read_rings(_required_member(node, members, "geometry")))
        crossing = first_crossing(rings)
        if crossing:
            raise _crossing_error(node, crossing.ring == crossing.other, crossing.at)
        return Area(name, node.path, rings)

    def _read_name(self, node: Node, members: Mapping[str, Node]) -> str:
        properties = members.get("properties")
        known = properties.object_members() if properties and properties.value is not None else {}
        written = [known[key] for key in NAMES if key in known] + [
            members[key] for key in ("id",) if key in members
        ]
        named = next((each for each in written if each.value is not None and each.value != ""), None)
        if named is None:
            raise node.refuse(_('has no name: give every feature a property "name"'))
        name = str(named.value) if type(named.value) is int else named.name()
        if not any(character.isalnum() for character in name):
            raise named.refuse(_("a name that can be read aloud contains at least one word or number"))
        if name in self.names:
            raise named.refuse(_("two features are called %(name)s"), name=quote_value(name))
        self.names.add(name)
        return name

    def _read_rings(self, geometry: Node) -> Iterator[list[Point]]:
        if geometry.value is None:
            raise geometry.refuse(_("must be a Polygon or a MultiPolygon"))
        members = geometry.object_members()
        _check_coordinate_system(members)
        kind = _required_member(geometry, members, "type").value
        coordinates = _required_member(geometry, members, "coordinates")
        if kind == "Polygon":
            yield self._read_polygon(coordinates)
        elif kind == "MultiPolygon":
            if coordinates.value == []:
                raise coordinates.refuse(_("holds no polygon"))
            yield from map(self._read_polygon, coordinates.items())
        else:
            raise geometry.refuse(_("must be a Polygon or a MultiPolygon"))

    def _read_polygon(self, polygon: Node) -> list[Point]:
        rings = list(islice(polygon.items(), 2))
        if not rings:
            raise polygon.refuse(_("holds no ring"))
        if len(rings) > 1:
            raise rings[1].refuse(
                _("is a hole: a place in it would belong to no cell; make it a feature or fill it")
            )
        return self._read_ring(rings[0])

    def _read_ring(self, ring: Node) -> list[Point]:
        points = [self._read_point(position) for position in ring.items()]
        if len(points) < 4 or points[0] != points[-1]:
            raise ring.refuse(
                _("is not closed: a ring has at least four positions, the last one is the first one")
            )
        corners = [point for point, following in pairwise(points) if point != following]
        if len(set(corners)) < 3:
            raise ring.refuse(_("has fewer than three different points"))
        return corners

    def _read_point(self, position: Node) -> Point:
        self.budget.spend(position)
        numbers = list(islice(position.items(), 2))
        if len(numbers) < 2:
            raise position.refuse(_("must be a longitude and a latitude"))
        return _read_degrees(numbers[0], LONGITUDE), _read_degrees(numbers[1], LATITUDE)


def parse_areas(data: bytes) -> list[Area]:
    """Returns the features of a file in its order.

    Refuses files of another kind, features without a name, and invalid shapes.
    """
    root = read_json(data, "file")
    members = root.object_members()
    _check_type(root, members, "FeatureCollection", _("must be a FeatureCollection"))
    _check_coordinate_system(members)
    features = _required_member(root, members, "features")
    nodes = list(islice(features.items(), MOST_CELLS + 1))
    if not nodes:
        raise features.refuse(_("holds no feature"))
    if len(nodes) > MOST_CELLS:
        raise features.refuse(_("holds more than %(most)s features"), most=f"{MOST_CELLS:,}")
    reader = _FeatureReader()
    return [reader.read_area(node) for node in nodes]


def _required_member(node: Node, members: Mapping[str, Node], key: str) -> Node:
    if key not in members:
        raise node.refuse(_("%(key)s is missing"), key=quote_value(key))
    return members[key]


def _check_type(node: Node, members: Mapping[str, Node], kind: str, reason: str) -> None:
    if "type" not in members or members["type"].value != kind:
        raise node.refuse(reason)


def _read_degrees(number: Node, limit: int) -> int:
    """Returns a coordinate as an integer in steps of 1/`FINE` of a degree; refuses one outside ±`limit`."""
    try:
        return round(number.real_number(-limit, limit) * FINE)
    except InputError as refusal:
        outside = "low" in refusal.values
        raise number.refuse(AS_WGS_84) if outside else refusal from None


def _check_coordinate_system(members: Mapping[str, Node]) -> None:
    """Refuses coordinate systems other than WGS 84; files from before 2016 may name one."""
    system = members.get("crs")
    if system is None or system.value is None:
        return
    about = system.object_members().get("properties")
    name = about.object_members().get("name") if about and about.value is not None else None
    written = name.value if name is not None and isinstance(name.value, str) else ""
    if written.replace("urn:ogc:def:crs:EPSG::", "EPSG:") not in WGS_84:
        raise system.refuse(AS_WGS_84)


def _crossing_error(node: Node, itself: bool, at: Point) -> InputError:
    """Returns the exception for a feature whose rings cross each other (or whose ring crosses itself)."""
    location = {"longitude": f"{at[0] / FINE:.6g}", "latitude": f"{at[1] / FINE:.6g}"}
    if itself:
        reason = _(
            "a ring crosses or touches itself near longitude %(longitude)s, latitude %(latitude)s: repair it"
        )
    else:
        reason = _("two rings cross near longitude %(longitude)s, latitude %(latitude)s: merge them")
    return InputError(f"{node.path}.geometry", reason, **location)
