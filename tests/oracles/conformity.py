"""Slow twins of nonconformity selection, the perceptron and pick-to-learn."""

from __future__ import annotations


def epsilon_crit(validation_margins, values):
    """Minimum over models and labels of #{margins <= y f} / n, by three loops; and the labels.

    ``validation_margins[k][j]`` is y_j f_k(x_j); ``values[k]`` is f_k(x) at one case.
    Returns the value and the list of (model, predicted sign) pairs that realise it.
    """
    best, winners = float("inf"), []
    for k, margins in enumerate(validation_margins):
        for y in (-1, 1):
            count = 0
            for margin in margins:
                if margin <= y * values[k]:
                    count += 1
            p = count / len(margins)
            if p < best:
                best, winners = p, []
            if p == best:
                winners.append((k, -y))
    return best, winners


def conformal_p_value(calibration_scores, score):
    return (sum(1 for s in calibration_scores if s <= score) + 1) / (len(calibration_scores) + 1)


def label_p_value(folds, values, label, by):
    """From folds of (score, label) pairs and the score of a new case with ``label`` in each fold.

    One fold: (count + 1) / (n + 1). More: twice the mean of the folds' p-values, each fold weighted
    by the number of p-values that it can give.
    """
    total, weights = 0.0, 0
    for fold, value in zip(folds, values, strict=True):
        scores = [score for score, own in fold if by == "case" or own == label]
        weight = len(scores) + 1
        total += weight * conformal_p_value(scores, value)
        weights += weight
    return total / weights if len(folds) == 1 else min(1.0, 2.0 * total / weights)


def nearest_contrast(case, points, labels, label):
    """(d_other - d_own) / (d_other + d_own) with Euclidean distances to nearest examples."""

    def nearest(keep):
        distances = [
            sum((a - b) ** 2 for a, b in zip(case, point, strict=True)) ** 0.5
            for point, y in zip(points, labels, strict=True)
            if keep(y)
        ]
        return min(distances)

    own, other = nearest(lambda y: y == label), nearest(lambda y: y != label)
    return (other - own) / (other + own)


def mean_contrast(case, points, labels, label):
    """The same with distances to the means of the classes."""
    distance = {}
    for y in sorted(set(labels)):
        members = [point for point, own in zip(points, labels, strict=True) if own == y]
        mean = [sum(column) / len(members) for column in zip(*members, strict=True)]
        distance[y] = sum((a - b) ** 2 for a, b in zip(case, mean, strict=True)) ** 0.5
    own = distance.pop(label)
    other = min(distance.values())
    return (other - own) / (other + own)


def perceptron(K, y, max_passes, margin=0.0):
    """Dual perceptron, one example at a time; returns counts, passes, converged.

    An example is added while its distance from the plane is at most ``margin``.
    """
    m = len(y)
    counts = [0] * m
    for n_pass in range(1, max_passes + 1):
        clean = True
        for i in range(m):
            f = sum(counts[j] * y[j] * K[j][i] for j in range(m))
            norm2 = sum(
                counts[j] * y[j] * counts[k] * y[k] * K[j][k] for j in range(m) for k in range(m)
            )
            if y[i] * f <= margin * max(norm2, 0.0) ** 0.5 + 1e-10 * K[i][i]:
                counts[i] += 1
                clean = False
        if clean:
            return counts, n_pass, True
    return counts, max_passes, False


def pick_to_learn(judge, order, n_initial=1, batch=1):
    """Picks one by one or in batches; ``judge(picks)`` gives {example: badness} of mistakes."""
    picks = list(order[:n_initial])
    while True:
        wrong = {i: bad for i, bad in judge(list(picks)).items() if i not in picks}
        if not wrong:
            return picks
        ranked = sorted(wrong, key=lambda i: (-wrong[i], list(order).index(i)))
        picks += ranked[:batch]


def filtering_curve(doubt, is_error):
    points = []
    for b in sorted(set(doubt)):
        errors = [e for d, e in zip(doubt, is_error, strict=True) if d <= b]
        points.append((b, sum(errors) / len(errors)))
    return points
