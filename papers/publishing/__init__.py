"""Document 003, on publishing tables: its methods on Adult, and its medical table with a register."""
