"""The public page of a report, and the preview card that social media show for it."""
