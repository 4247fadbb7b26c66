"""Estimates of sensitive numbers, from counts of records by group (0 open, 1 disguised) and code.

All counts are of records to which the number applies; where the open records may not be used, their counts
are 0.
"""
