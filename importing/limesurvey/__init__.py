"""Reads LimeSurvey surveys: their structure from a table (.txt, .tsv) and from XML (.lss, .lsg, .lsq)."""

from importing.limesurvey.draft_reader import read_lss, read_tsv

__all__ = ["read_lss", "read_tsv"]
