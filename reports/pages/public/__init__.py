"""The public page of a report."""
