"""The system of the publishing papers: linkage, weights, lattice, and experiments on Adult."""
