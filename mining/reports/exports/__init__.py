"""What is published, as files."""
