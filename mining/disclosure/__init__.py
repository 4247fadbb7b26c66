"""Disclosure control: published numbers reveal no open answers of a few, and no small cells of plain answers."""
