"""Shows sensitive places in reports: the shares of regions, their maps, and their files."""
