"""GeoJSON files: the cells of a place question from one, and one from its cells and regions."""

from importing.geojson.reading import PlaceCells, read
from importing.geojson.writing import collection, feature, steps_per_degree

__all__ = ["PlaceCells", "collection", "feature", "read", "steps_per_degree"]
