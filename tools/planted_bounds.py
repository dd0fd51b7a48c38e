"""Errors for the bounds: text in a module, to be noticed by ``tests/bounds/test_<topic>.py``."""

from __future__ import annotations

# (module, topic) -> rows of (name, old, new)
TABLE: dict[tuple[str, str], list[tuple[str, str, str]]] = {
    ("classical", "finite_class"): [
        (
            "factor of the theorem lost",
            "nats * (nats + 2.0 * share)",
            "nats * (0.5 * nats + share)",
        ),
        (
            "confidence lost",
            "nats = total_nats(terms) / m",
            "nats = terms[0].nats / m",
        ),
    ],
    ("tails", "tails"): [
        ("pad of the tail inverse flipped", "log_delta * (1.0 + _PAD)", "log_delta * (1.0 - _PAD)"),
        ("inner end of the bracket", "* (1.0 + 2e-15), 2.0)", "* (1.0 - 2e-12), 2.0)"),
        ("pad of the kl inverse flipped", "nats * (1.0 + _PAD)", "nats * (1.0 - _PAD)"),
        ("pad too wide", "_PAD = 1e-12", "_PAD = 1e-7"),
        (
            "reversed kl",
            "_deviance(q, p) + _deviance(1.0 - q",
            "_deviance(p, q) + _deviance(1.0 - q",
        ),
        ("off by one in k", "np.where(is_lower, k + 1.0, n - k)", "np.where(is_lower, k, n - k)"),
        ("slope without the number", "slope = others * np.exp", "slope = np.exp"),
        ("small complement", "np.log1p(-np.exp(small))", "np.log(1.0 - np.exp(small))"),
        (
            "wrong half of a coefficient",
            "less = np.minimum(k, n - k)",
            "less = np.maximum(k, n - k)",
        ),
    ],
    ("losses", "betting"): [
        (
            "bet sees its own loss",
            "(np.cumsum(deviations) / number)[len(before) : -1]",
            "(np.cumsum(deviations) / number)[len(before) + 1 :]",
        ),
        ("bets beyond the limit", "np.minimum(bets, largest)", "bets"),
        ("a bet may lose everything", "_STAKE = 0.999", "_STAKE = 1.0"),
        ("message not paid", 'terms = list(itemise(message_nats, "message"))', "terms = []"),
        ("choice not paid", "math.log(choices)))", "0.0))"),
        ("inner end of the bracket", "    return high\n", "    return low\n"),
        ("pad dropped and more", "nats * (1.0 + _PAD) + 1e-14", "nats * (1.0 - 1e-9) + 1e-14"),
        (
            "kl over one more group",
            "kl_inverse(mean, nats / n)",
            "kl_inverse(mean, nats / (n + 1))",
        ),
        ("warm-up counted", "_limit(values, _bets", "_limit(np.append(values, before), _bets"),
    ],
    ("compression_bounds", "compression"): [
        ("errors counted over m, not m - d", "n_outside=m - d,\n", "n_outside=m,\n"),
        (
            "off by one in k",
            "inverse(n_errors, n_outside,",
            "inverse(max(0, n_errors - 1), n_outside,",
        ),
        ("off by one in n", "inverse(n_errors, n_outside,", "inverse(n_errors, n_outside + 1,"),
        ("two rates without ln 2", "-(nats + math.log(2.0))", "-nats"),
        ("size prior dropped", "size = log_zeta_prior(d) if", "size = 0.0 if"),
        ("kept examples not paid", 'kept", log_choose(pool, d))', 'kept", 0.0)'),
        ("choice of the family not paid", "math.log(n_choices)))", "0.0))"),
        ("dropped binomial", "(log_choose(n, k) + scheme.nats)", "scheme.nats"),
        (
            "class sizes with the kept",
            "counts.n_negatives - counts.n_compressed_negatives",
            "counts.n_negatives",
        ),
        (
            "split of the kept not paid",
            "split = math.log(scheme.n_compressed + 1.0)",
            "split = 0.0",
        ),
        ("pool counted", 'check_count("pool_size", pool_size, high=m),\n', "0,\n"),
        ("kl with m for n", "scheme.nats / n)) if", "scheme.nats / scheme.n_samples)) if"),
        ("folk theorem pays delta once", "2.0 * math.log(m / delta)", "math.log(m / delta)"),
        ("costs swapped", "c_fp * fp + c_fn * fn", "c_fp * fn + c_fn * fp"),
    ],
    ("messages", "messages"): [
        ("sign of the count of graphs", "(-1) ** (i + j)", "(-1) ** i"),
        ("zeta prior of order one", "+ 2.0 * math.log(size + 1.0)", "+ math.log(size + 1.0)"),
        ("thresholds of the wrong class", '"conjunction" else n_b', '"disjunction" else n_b'),
        (
            "number of thresholds not paid",
            '"number of threshold examples", math.log(n_rules + 1.0))',
            '"number of threshold examples", math.log(n_rules))',
        ),
        (
            "mass of no ball doubled",
            "math.log(2.0 * math.pi**2 / 3.0)",
            "math.log(math.pi**2 / 3.0)",
        ),
        ("mass of no pair doubled", "math.log(8.0 * math.pi", "math.log(4.0 * math.pi"),
        ("direction of a stump free", "n_stumps = 2 * n_features", "n_stumps = n_features"),
        ("odd numerators free", "+ (v - 1.0) * math.log(2.0) for", "for"),
        (
            "default output free",
            '*terms, Term("output", "default output", math.log(2.0))',
            "*terms",
        ),
    ],
    ("published", "published"): [
        (
            "garbled fraction",
            "log_choose(n_a * n_b, n_rules) + math.log",
            "math.log(n_a * n_b / n_rules) + math.log",
        ),
        ("error sets of the repair free", 'errors", log_choose(m - d, k))', 'errors", 0.0)'),
    ],
    ("stable_schemes", "stable"): [
        ("sum not averaged", "log_sf - math.log(n) - np.log(risk)", "log_sf - np.log(risk)"),
        ("inner end of the root", "min(1.0, high * (1.0 + 2e-15))", "low * (1.0 - 1e-11)"),
        ("delta not divided over models", "(delta)) - math.log(n_choices)", "(delta))"),
        (
            "root of the wrong tail",
            "_, log_sf, log_pmf = log_tails",
            "log_sf, _, log_pmf = log_tails",
        ),
    ],
    ("losses", "real_loss"): [
        ("linear form too tight", "parameter / 8.0", "parameter / 16.0"),
        ("loss not scaled", "_real_value(method, loss / limit,", "_real_value(method, loss,"),
        (
            "posteriors free",
            "posteriors = math.log(2.0 * math.sqrt(n))",
            "posteriors = 0.0",
        ),
        ("vote at the price of Gibbs", "2.0 * risk if majority_vote", "risk if majority_vote"),
    ],
    ("margin_bounds", "margin"): [
        ("empirical complexity too cheap", "return 3.0 * math.sqrt(", "return 1.0 * math.sqrt("),
        ("uniform margin too cheap", "2.0 * complexity / theta", "complexity / theta"),
        ("power of two below the scale", "exponent - (mantissa == 0.5)", "exponent - 1"),
        ("choice of the kernel too cheap", "classes = 8.0 / gamma", "classes = 4.0 / gamma"),
        (
            "Massart without its two",
            "math.sqrt(2.0 * math.log(size) / n)",
            "math.sqrt(math.log(size) / n)",
        ),
    ],
    ("sparse_expansions", "projection"): [
        ("natural for base-2 logarithms", "factor = 2.0 / (n * math.log(2.0))", "factor = 2.0 / n"),
        ("growth below the dimension", "if 2 * n > d:", "if n > 0:"),
        ("number of updates free", "size_nats=math.log(m)", "size_nats=0.0"),
        (
            "number of centres free",
            "(2.0 if published else 1.0) * m)",
            "2.0 if published else 1.0)",
        ),
    ],
    ("classical", "projection"): [
        (
            "natural logarithm of delta",
            "log2_delta = math.log2(delta)",
            "log2_delta = math.log(delta)",
        ),
        ("one test error less", "return high - 1", "return max(0, high - 2)"),
    ],
    ("classical", "held_out"): [
        ("delta not divided over models", "math.log(models)))", "0.0))"),
        ("disagreement at all of delta", "check_delta(delta) / 2.0)", "check_delta(delta))"),
        (
            "price of the row not paid again",
            'check_nats("message_nats", message_nats) - math.log(',
            '0.0 * check_nats("message_nats", message_nats) - math.log(',
        ),
        ("part of the certified classifier lost", "outward(risk + differ)", "outward(differ)"),
        ("one-sided deviation at any delta", "or share > 0.5", "or share > 1.5"),
        ("missing n + 1", ", high=n) + 1.0) / (n + 1.0)", ", high=n) + 1.0) / max(n, 1.0)"),
        (
            "accepted share not lowered",
            "accepted = selected / n - deviation",
            "accepted = selected / n",
        ),
    ],
    ("planner", "planner"): [
        (
            "errors rounded down",
            "return math.ceil(_exact_rate(rate)",
            "return math.floor(_exact_rate(rate)",
        ),
        (
            "saw-teeth ignored",
            "_last_failing_tooth(are_enough, share, d, largest) if rate else d",
            "d",
        ),
    ],
    ("certificates", "certificate"): [
        (
            "percent rounded down",
            "Decimal(1).scaleb(-place), ROUND_CEILING",
            "Decimal(1).scaleb(-place), ROUND_FLOOR",
        ),
        (
            "confidence rounded up",
            'Decimal("1e-10"), ROUND_FLOOR',
            'Decimal("1e-10"), ROUND_CEILING',
        ),
        ("html not escaped", "<tr><td>{html.escape(term.text)}", "<tr><td>{term.text}"),
    ],
}
