"""Pages of releases."""
