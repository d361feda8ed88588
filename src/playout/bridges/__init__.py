"""Games and problems of other libraries as ours, interpreted: OpenSpiel and Gymnasium."""
