"""Errors that intervals do not cover: forged records, copied records."""
