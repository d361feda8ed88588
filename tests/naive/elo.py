"""Ratings the slow way: the posterior written down game by game, its maximum by scipy, its curvature by
differences."""

import math

import numpy as np
from scipy.optimize import minimize

UNIT = 400 / math.log(10)


def log_posterior(names, games, prior, first_move, theta):
    """theta: a rating for each name, the first move, ln ν; all natural."""
    rating = dict(zip(names, theta, strict=False))
    h, log_nu = theta[-2], theta[-1]
    nu = math.exp(log_nu) if any(score == 0.5 for _, _, score in games) else 0.0
    total = 0.0
    for black, white, score in games:
        x = rating[black] - rating[white] + (h if first_move else 0.0)
        win, loss = math.exp(x / 2), math.exp(-x / 2)
        total += math.log({1: win, 0: loss, 0.5: nu}[score] / (win + loss + nu))
    for name in names:  # each has drawn `prior` games, half of which each of the two brings
        own = [b if w == name else w for b, w, _ in games if name in (b, w) and b != w]
        for other in own:
            x = rating[name] - rating[other]
            drawn = prior / len(own) / 2
            total += drawn * (math.log(1 / (1 + math.exp(-x))) + math.log(1 / (1 + math.exp(x)))) / 2
    total -= sum(r * r for r in rating.values()) / 2 / (2000 / UNIT) ** 2
    return total - h * h / 2 / (200 / UNIT) ** 2 - log_nu * log_nu / 2 / 2.0**2


def ratings(names, games, prior=1.0, first_move=True, step=1e-3):
    """Elo with mean 0, its standard deviations, and the first move's Elo."""

    def minus(theta):
        return -log_posterior(names, games, prior, first_move, theta)

    size = len(names) + 2
    best = minimize(minus, np.zeros(size), method="BFGS", options={"gtol": 1e-9}).x
    curvature = np.zeros((size, size))
    unit = np.eye(size) * step
    for i in range(size):
        for j in range(size):
            curvature[i, j] = (
                minus(best + unit[i] + unit[j])
                - minus(best + unit[i] - unit[j])
                - minus(best - unit[i] + unit[j])
                + minus(best - unit[i] - unit[j])
            ) / (4 * step * step)
    covariance = np.linalg.inv(curvature)
    drawn = any(score == 0.5 for _, _, score in games)

    def shown(theta):
        nu = math.exp(theta[-1]) if drawn else 0.0
        elo = UNIT * 2 / (2 + nu)
        return elo * (theta[: len(names)] - np.mean(theta[: len(names)])), elo * theta[-2]

    by = np.array([(shown(best + u)[0] - shown(best - u)[0]) / (2 * step) for u in unit]).T
    return shown(best)[0], np.sqrt(np.diag(by @ covariance @ by.T)), shown(best)[1]
