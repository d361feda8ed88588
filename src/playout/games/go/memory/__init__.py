"""Values of local shapes: features, weights, their files, and those that come with the package."""
