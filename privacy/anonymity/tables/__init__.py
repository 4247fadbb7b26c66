"""Tables as they are read: columns, dates, grids, hierarchies, and the specification of what becomes of them."""
