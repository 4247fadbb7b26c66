"""Translations of a draft out to files and in again: XLIFF 2 for translators' tools, CSV for spreadsheets."""
