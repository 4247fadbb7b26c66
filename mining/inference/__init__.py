"""Tests and intervals of supports, confidences and lifts: one score test, mapped through the disguise."""
