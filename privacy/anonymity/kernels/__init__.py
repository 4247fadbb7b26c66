"""Loops over classes of records in machine code; importing its modules imports numba."""
