"""Go's learners: values of shapes, softmax policies, patterns, weights of the prior; and their data."""
