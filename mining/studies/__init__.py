"""Comparisons of arms, versions and waves, control items, models, weights and plans: pure functions of counts."""
