"""Reproductions of papers, one package each. They import all other rooms; nothing imports them."""
