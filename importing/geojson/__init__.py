"""GeoJSON files: reads the cells of a place question, and writes its cells and regions."""

from importing.geojson.cells_writer import feature, feature_collection, steps_per_degree
from importing.geojson.place_cells import PlaceCells, read

__all__ = ["PlaceCells", "feature", "feature_collection", "read", "steps_per_degree"]
