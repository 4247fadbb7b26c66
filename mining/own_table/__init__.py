"""A table of true answers D, disguised as D* by the grouped model and mined: what the disguise finds, misses, invents.

As in section 4 of document 004 (docs/references.md), for anybody's table.
"""
