"""Step sizes that adapt (Silver 2009, 10.3.1), by feature and position, from the equations."""


class Steps:
    """Updates of whole simulations by one of the rules."""

    def __init__(self, rule, alpha, halving, variance):
        self.rule, self.alpha, self.halving, self.first_variance = rule, alpha, halving, variance
        self.simulations, self.counts, self.variances = 0, {}, {}

    def settle(self, theta, active, values, targets):
        """Change θ by a simulation: its features, values and targets by position."""
        errors = [target - value for value, target in zip(values, targets, strict=True)]
        slopes = [value * (1 - value) for value in values]
        total = [sum(self.variances.get(f, self.first_variance) for f in features) for features in active]
        for feature, positions in stretches(active):
            step = 0.0
            if self.rule == "kalman":
                p = self.variances.get(feature, self.first_variance)
                gains = {u: p / (1 + slopes[u] * total[u]) for u in positions}
                step = sum(gains[u] * errors[u] for u in positions)
                self.variances[feature] = p / (1 + sum(slopes[u] * gains[u] for u in positions))
            else:
                n = self.simulations if self.rule == "decaying" else self.counts.get(feature, 0)
                alpha = self.alpha / (1 + n / self.halving)
                step = sum(alpha * errors[u] / len(active[u]) for u in positions)
            theta[feature] = theta.get(feature, 0.0) + step
        for feature, _ in stretches(active):
            self.counts[feature] = self.counts.get(feature, 0) + 1
        self.simulations += 1


def stretches(active):
    """Each feature with the positions of each time that it was active, earlier times first."""
    found = []
    for u, features in enumerate(active):
        for feature in features:
            before = next(
                (times for f, times in reversed(found) if f == feature and times[-1] == u - 1), None
            )
            if before is None:
                found.append((feature, [u]))
            else:
                before.append(u)
    return found
