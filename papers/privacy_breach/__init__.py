"""Document 000, on privacy breaches: posteriors of single records under three laws, and laws
for given conditions."""
