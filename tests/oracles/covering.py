"""Slow twins of the covering machines: nested loops over every rule, by its definition.

A *direction* is a dict: ``values`` (one a row), ``tol``, ``cuts`` (ascending thresholds), ``sides``
and, where examples give it, ``owners`` (rows). Rows are given in the order the tables use.
"""

from __future__ import annotations

import math
from fractions import Fraction

RELATIVE = 1e-10


def covers(direction, side, cut, row):
    """Is the row strictly on the side of the threshold? A missing value is on none."""
    v, tol = direction["values"][row], direction["tol"]
    if math.isnan(v):
        return False
    if side == "below":
        return v < cut - tol
    if side == "above":
        return v > cut + tol
    return (abs(v - cut) <= tol) == (side == "equal")


def distinct(values):
    """Ascending distinct values, missing ones left out."""
    return sorted({v for v in values if not math.isnan(v)})


def close_to_distinct(values, tol):
    """Ascending values, one of each group of ties."""
    found = []
    for v in sorted(values):
        if not found or v - found[-1] > 2 * tol:
            found.append(v)
    return found


def stump_directions(X, pool, is_categorical=None):
    """One direction a feature, thresholds at the values of the pool's rows."""
    found = []
    for j in range(len(X[0])):
        values = [row[j] for row in X]
        categorical = is_categorical is not None and is_categorical[j]
        found.append(
            {
                "values": values,
                "tol": 0.0,
                "cuts": distinct(values[i] for i in pool),
                "sides": ["equal", "unequal"] if categorical else ["below", "above"],
                "owners": [],
            }
        )
    return found


def distance(p, q, metric="euclidean"):
    gaps = [abs(a - b) for a, b in zip(p, q, strict=True)]
    if metric == "manhattan":
        return sum(gaps)
    if metric == "chebyshev":
        return max(gaps)
    return math.sqrt(sum(g * g for g in gaps))


def ball_directions(X, y, pool, sign=None, metric="euclidean"):
    """One direction a centre; outside of a centre of the kept class, inside of another."""
    found = []
    for center in pool:
        values = [distance(X[center], row, metric) for row in X]
        tol = RELATIVE * max(values[i] for i in pool)
        side = ["above" if y[center] == sign else "below"]
        found.append(
            {
                "values": values,
                "tol": tol,
                "cuts": close_to_distinct([values[i] for i in pool], tol),
                "sides": side if sign is not None else ["below", "above"],
                "owners": [center],
            }
        )
    return found


def linear_kernel(p, q):
    return sum(a * b for a, b in zip(p, q, strict=True))


def pair_directions(X, y, pool, sign=None, kernel=linear_kernel, dyadic=0):
    """One direction a (positive, negative) pair; thresholds at examples or dyadic fractions."""
    found = []
    for a in (i for i in pool if y[i] > 0):
        for b in (i for i in pool if y[i] < 0):
            values = [kernel(X[a], row) - kernel(X[b], row) for row in X]
            sizes = (kernel(X[a], X[a]), kernel(X[b], X[b]), kernel(X[a], X[b]))
            tol = RELATIVE * max(abs(s) for s in sizes)
            if dyadic:
                gap = values[a] - values[b]
                usable = gap > 64 * tol
                cuts = [values[b] + float(f) * gap for f in dyadic_fractions(dyadic)]
                cuts = cuts if usable else []
            else:
                cuts = close_to_distinct([values[i] for i in pool], tol)
            both = ["below", "above"]
            found.append(
                {
                    "values": values,
                    "tol": tol,
                    "cuts": cuts,
                    "sides": both if sign is None else [both[sign < 0]],
                    "owners": [a, b],
                }
            )
    return found


def dyadic_fractions(max_level):
    """All j / 2^l with j odd and l up to the given level, ascending."""
    return sorted(
        Fraction(j, 2**level) for level in range(1, max_level + 1) for j in range(1, 2**level, 2)
    )


def level_of(fraction):
    return Fraction(fraction).denominator.bit_length() - 1


def worth(q, r, penalty):
    """Usefulness; None where errors are not allowed."""
    if math.isinf(penalty):
        return None if r else float(q)
    return q - penalty * r


def is_better(new, best):
    """Larger usefulness, then fewer new examples, then larger cover."""
    return best is None or (new[0], -new[1], new[2]) > (best[0], -best[1], best[2])


def free_cover(directions, y, weight, sign, penalty, max_rules, *, pool, fractions=None, **options):
    """Greedy path of rules with free thresholds: (direction, cut, side, |Q|, |R|) each.

    Two-point rules give ``fractions``: each direction is then used once, and a tie goes to the
    simpler fraction.
    """
    prefer_kept = options.get("prefer_kept", True)
    live = [i for i in range(len(y)) if weight[i] > 0]
    kept, used, path = set(), set(), []
    while len(path) < max_rules and any(y[i] != sign for i in live):
        best = None
        for t, direction in enumerate(directions):
            if fractions is not None and t in used:
                continue
            for side in direction["sides"]:
                for j, cut in enumerate(direction["cuts"]):
                    gone = [i for i in live if covers(direction, side, cut, i)]
                    q = sum(weight[i] for i in gone if y[i] != sign)
                    r = sum(weight[i] for i in gone if y[i] == sign)
                    value = worth(q, r, penalty)
                    if q == 0 or value is None:
                        continue
                    new = 0
                    if prefer_kept and fractions is not None:
                        new = 1000 * sum(o not in kept for o in direction["owners"])
                        new += level_of(fractions[j])
                    elif prefer_kept:
                        new = int(all(direction["values"][i] != cut for i in kept))
                    if is_better((value, new, q), best):
                        best = (value, new, q, r, t, cut, side, gone)
        if best is None or (options.get("stop", True) and best[0] <= 0):
            break
        value, _, q, r, t, cut, side, gone = best
        path.append((t, cut, side, q, r))
        used.add(t)
        live = [i for i in live if i not in gone]
        kept |= set(directions[t]["owners"])
        if fractions is None:
            tied = [i for i in sorted(set(pool)) if directions[t]["values"][i] == cut]
            kept.add(next((i for i in tied if i in kept), tied[0]))
    return path, kept


def member_cover(directions, y, weight, sign, penalty, max_rules, *, pool, **options):
    """Greedy path of balls or half-spaces: (direction, threshold row, side, |Q|, |R|) each.

    A threshold is a live example of the class that must stay uncovered; it, the rule's own
    example of that class and those of earlier rules must not be covered.
    """
    prefer_kept = options.get("prefer_kept", True)
    live = [i for i in range(len(y)) if weight[i] > 0]
    kept, used, path = set(), set(), []
    while len(path) < max_rules and any(y[i] != sign for i in live):
        best = None
        for t, direction in enumerate(directions):
            own = [o for o in direction["owners"] if y[o] == sign]
            if t in used or any(o not in live for o in own):
                continue
            side = direction["sides"][0]
            for c in sorted({i for i in pool if y[i] == sign and i in live}):
                cut = direction["values"][c]
                stays = [i for i in kept if y[i] == sign] + own
                if any(covers(direction, side, cut, i) for i in stays):
                    continue
                gone = [i for i in live if covers(direction, side, cut, i)]
                q = sum(weight[i] for i in gone if y[i] != sign)
                r = sum(weight[i] for i in gone if y[i] == sign)
                value = worth(q, r, penalty)
                if q == 0 or value is None:
                    continue
                named = {*direction["owners"], c}
                new = sum(i not in kept for i in named) if prefer_kept else 0
                if is_better((value, new, q), best):
                    best = (value, new, q, r, t, c, side, gone)
        if best is None or (options.get("stop", True) and best[0] <= 0):
            break
        _, _, q, r, t, c, side, gone = best
        path.append((t, c, side, q, r))
        used.add(t)
        live = [i for i in live if i not in gone]
        kept |= {*directions[t]["owners"], c}
    return path, kept


def list_cover(tables, y, weight, outputs, penalties, max_rules):
    """Greedy list over several tables: (table, direction, cut, side, output) each."""
    live = list(range(len(y)))
    path = []
    while len(path) < max_rules:
        best, best_value = None, 0.0
        for k, directions in enumerate(tables):
            for output in outputs:
                found, found_value = None, None
                for t, direction in enumerate(directions):
                    for side in direction["sides"]:
                        for cut in direction["cuts"]:
                            gone = [i for i in live if covers(direction, side, cut, i)]
                            q = sum(weight[i] for i in gone if y[i] == output)
                            r = sum(weight[i] for i in gone if y[i] != output)
                            value = worth(q, r, penalties[output])
                            if q == 0 or value is None:
                                continue
                            if found is None or (value, q) > found_value:
                                found, found_value = (k, t, cut, side, output, gone), (value, q)
                if found is not None and found_value[0] > best_value:
                    best, best_value = found, found_value[0]
        if best is None:
            break
        path.append(best[:5])
        live = [i for i in live if i not in best[5]]
        if len({y[i] for i in live}) < 2:
            break
    return path


def rank_nats(usefulness):
    """-ln of each candidate's share of 1 / (i (1 + ln i)^2), equal ones sharing their ranks."""
    n = len(usefulness)
    mass = [1 / (i * (1 + math.log(i)) ** 2) for i in range(1, n + 1)]
    total = math.fsum(mass)
    nats = {}
    for value in set(usefulness):
        above = sum(u > value for u in usefulness)
        tied = sum(u == value for u in usefulness)
        nats[value] = -math.log(math.fsum(mass[above : above + tied]) / total / tied)
    return [nats[u] for u in usefulness]


def pool_cover(directions, pool_directions, y, outside, pool_y, sign, penalty, exchange, max_rules):
    """Greedy path by usefulness - exchange * nats: (direction, cut, side, nats) each.

    ``pool_directions`` hold the values at the pool, which give the ranks; ``directions`` those of
    all rows, of which ``outside`` are counted.
    """
    live = [i for i in range(len(y)) if outside[i] > 0]
    pool_live = list(range(len(pool_y)))
    path = []
    while len(path) < max_rules:
        names, ranks = [], []
        for t, direction in enumerate(pool_directions):
            for side in direction["sides"]:
                for cut in direction["cuts"]:
                    gone = [i for i in pool_live if covers(direction, side, cut, i)]
                    ranks.append(sum(-1 if pool_y[i] == sign else 1 for i in gone))
                    names.append((t, cut, side))
        best = None
        for (t, cut, side), nats in zip(names, rank_nats(ranks), strict=True):
            gone = [i for i in live if covers(directions[t], side, cut, i)]
            q = sum(outside[i] for i in gone if y[i] != sign)
            r = sum(outside[i] for i in gone if y[i] == sign)
            value = worth(q, r, penalty)
            if value is None or value <= 0:
                continue
            score = value - exchange * nats
            if best is None or score > best[0]:
                best = (score, t, cut, side, nats)
        if best is None:
            break
        _, t, cut, side, nats = best
        path.append((t, cut, side, nats))
        live = [i for i in live if not covers(directions[t], side, cut, i)]
        pool_live = [i for i in pool_live if not covers(pool_directions[t], side, cut, i)]
    return path
