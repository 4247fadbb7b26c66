"""Document 000, on privacy breaches: posteriors of single records, and laws for given conditions."""
