"""Document 001, notes on k-anonymity and what came after it: eleven rows, and the lattice of generalisations."""
