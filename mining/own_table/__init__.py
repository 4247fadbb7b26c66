"""Disguises a person's own table of true answers (D) by the grouped model, mines it, and compares the result
with D.

D* is the disguised table. The experiment shows the rules that are found, missed and invented, as in section 4
of document 004 (docs/references.md).
"""
