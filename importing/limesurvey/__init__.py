"""Surveys of LimeSurvey: its structure as a table (.txt, .tsv) and as XML (.lss)."""

from importing.limesurvey.reading import read_lss, read_tsv

__all__ = ["read_lss", "read_tsv"]
