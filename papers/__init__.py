"""Papers whose tables and figures are made again here, one module each. It imports everything; nobody imports it."""
