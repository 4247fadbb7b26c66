"""The Python package: a facade over `privacy` and `mining`, by the names that other packages use."""
