"""Settings whose studies are simulated on counts: drawn from known laws, put through the product's own code."""
