"""How the scripts in static/vendor get there: fetched as they are published, or bundled of exact packages."""
