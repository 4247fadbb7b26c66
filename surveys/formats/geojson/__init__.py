"""GeoJSON files: the cells of a place question from one, and one from the cells."""

from surveys.formats.geojson.reading import PlaceCells, read
from surveys.formats.geojson.writing import as_geojson

__all__ = ["PlaceCells", "as_geojson", "read"]
