"""Sensitive places in reports: what is reported, its maps, and the rows of its page."""
