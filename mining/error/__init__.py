"""Errors that intervals do not cover: backtests, forged records, copied records."""
