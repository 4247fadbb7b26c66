"""Document 001, notes on k-anonymity and later criteria: eleven example rows, generalisation lattice."""
