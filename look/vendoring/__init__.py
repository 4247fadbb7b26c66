"""How the files in static/vendor get there: fetched as they are published, or made of exact packages."""
