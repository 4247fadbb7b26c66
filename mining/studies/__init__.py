"""Comparisons of arms, versions and waves, control items, models, weights and plans: counts come from any
counter, those of patterns from columns."""
