"""Document 003, on publishing tables: its methods on the data set Adult, and its medical table linked
with a register."""
