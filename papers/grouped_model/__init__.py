"""Document 004, the grouped unrelated-question model: posteriors of records, mining of disguised data."""
