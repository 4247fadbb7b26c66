"""Exports the translations of a draft to files and imports them again: XLIFF 2 for translators' tools, CSV
for spreadsheets."""
