"""The pictures of a report: Vega-Lite specifications, each with a table of the same numbers."""
