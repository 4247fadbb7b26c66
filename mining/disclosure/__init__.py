"""Disclosure control: decides which numbers are published, so that none reveals open answers of a few people
or small cells of plain answers.
"""
