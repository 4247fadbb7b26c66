"""Do intervals, tests and badges hold what they promise? Simulated, and written to bench/figures/coverage.md."""
