"""Compares arms, versions and waves; estimates control items, models, weighted shares and plans of hypotheses.

Counts come from any counter, those of patterns from columns.
"""
