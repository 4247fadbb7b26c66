"""Errors that intervals do not cover: rules found by chance (backtests), forged records, copied records."""
