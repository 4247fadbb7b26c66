"""Writes a published report as files to download."""
