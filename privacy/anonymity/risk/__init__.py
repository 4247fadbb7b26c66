"""Risks of published tables, and attacks on them by somebody who knows something else."""
