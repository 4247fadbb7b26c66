"""Compares arms, versions and waves; estimates control items, models, weighted shares and plans of hypotheses.

Counts come from any counter; counts by pattern of plain answers come from columns of bits.
"""
