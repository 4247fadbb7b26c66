"""Document 003, on publishing tables: its methods on the data set Adult, and a medical table's linkage."""
