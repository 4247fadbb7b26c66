"""Known vulnerabilities of what requirements.lock names, from advisories in files: ./run audit."""
