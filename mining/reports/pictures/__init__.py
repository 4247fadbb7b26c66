"""The pictures of a report: Vega-Lite specifications, each with the table that says the same."""
