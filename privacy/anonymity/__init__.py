"""Anonymised tables: what is read, what a class of records shows, criteria, losses and algorithms."""
