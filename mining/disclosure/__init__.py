"""What published numbers must not give away: open answers of a few, and small cells of plain answers (no Django)."""
