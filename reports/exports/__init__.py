"""A published report as files."""
