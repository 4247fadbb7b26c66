"""Searches for classes of records that keep the criteria."""
