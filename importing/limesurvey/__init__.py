"""Surveys of LimeSurvey: its structure as a table (.txt, .tsv) and as XML (.lss)."""

from importing.limesurvey.draft_reader import read_lss, read_tsv

__all__ = ["read_lss", "read_tsv"]
