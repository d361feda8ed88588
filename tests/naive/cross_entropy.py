"""Table 1 of Chaslot et al. (2008) and races, in plain loops."""

from __future__ import annotations

import itertools


def step(samples, scores, wanted, mu, sigma2, alpha):
    """One iteration, from the samples and their f-values on: the new μ and σ²."""
    ranked = sorted(range(len(samples)), key=lambda i: (-scores[i], i))
    elite = [samples[i] for i in ranked[:wanted]]
    new_mu, new_sigma2 = [], []
    for j in range(len(mu)):
        mean = sum(x[j] for x in elite) / wanted
        variance = sum((x[j] - mean) ** 2 for x in elite) / wanted
        new_mu.append(alpha * mean + (1 - alpha) * mu[j])
        new_sigma2.append(alpha * variance + (1 - alpha) * sigma2[j])
    return new_mu, new_sigma2


def risks(chances, wanted):
    """The risks of dropping and of accepting each sample, over all ways in which the games may end."""
    rows, columns = len(chances), len(chances[0])
    dropping, accepting = [0.0] * rows, [0.0] * rows
    for ends in itertools.product(range(columns), repeat=rows):
        p = 1.0
        for row, end in zip(chances, ends, strict=True):
            p *= row[end]
        for i in range(rows):
            others = [ends[j] for j in range(rows) if j != i]
            dropping[i] += p * (sum(end >= ends[i] for end in others) < wanted)
            accepting[i] += p * (sum(end > ends[i] for end in others) >= wanted)
    return dropping, accepting
