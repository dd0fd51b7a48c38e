"""Search engines: which rule is the most useful now, over very many candidates.

What lives here: greedy sweeps over candidate tables, the exact engines for all half-spaces and
all balls of a training set, and their compiled loops. What does not: what a rule is and how
candidates are tabulated (one file a rule, in `handful.rules`), and what a path costs
(`handful.covering`). Every engine has a slow twin in ``tests/oracles``.
"""
