"""Document 004, the grouped unrelated-question model: posteriors of single records, and mining
of disguised data."""
