"""GeoJSON files: the cells of a place question from one, and one from its cells and regions."""

from importing.geojson.cells_writer import collection, feature, steps_per_degree
from importing.geojson.place_cells import PlaceCells, read

__all__ = ["PlaceCells", "collection", "feature", "read", "steps_per_degree"]
