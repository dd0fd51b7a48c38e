"""Errors for machines and searches: where, what, and the tests that must notice.

(package, module) -> rows of (name, old text, new text, tests).
"""

from __future__ import annotations


def _owes(*names: str) -> tuple[str, ...]:
    """The accounting of some covering procedures."""
    test = "tests/covering/test_accounting.py::test_candidates_pay_what_they_owe"
    return tuple(f"{test}[{name}]" for name in names)


_VALIDITY = "tests/covering/test_validity.py"
_SEARCH = "tests/selection/test_search.py"
_FIRST = f"{_SEARCH}::test_it_takes_the_smallest_certificate_and_pays_for_the_families"
_TIES = f"{_SEARCH}::test_ties_go_to_fewer_support_vectors_and_undefined_criteria_last"
_PROTOCOL = "tests/test_protocol.py"
_COINS = "tests/selection/test_validity.py::test_a_search_over_look_alikes_holds"
_GROUPS = "tests/covering/test_groups.py"
_COUNTS = "tests/covering/codes/test_compression.py::test_candidates_count_what_their_machines_do"

Row = tuple[str, str, str, tuple[str, ...]]

COVERING: dict[str, list[Row]] = {
    "covering.learn": [
        (
            "kind of a machine free",
            '"conjunction or disjunction", math.log(len(settings.kinds)))',
            '"conjunction or disjunction", 0.0)',
            _owes("stumps"),
        ),
        (
            "choice of the kernel free",
            'kernels", math.log(n)))',
            'kernels", 0.0))',
            _owes("kernels"),
        ),
        (
            "votes for a constant counted again",
            "constant_candidates(rows, scheme.terms, (kind,), kept)",
            "constant_candidates(rows, scheme.terms, (kind,))",
            _owes("stumps and pools"),
        ),
        (
            "which groups are kept free",
            'kept_term(n_pool, named, "groups")',
            'kept_term(n_pool, (), "groups")',
            (f"{_GROUPS}::test_the_certificate_by_hand[stumps]",),
        ),
        (
            "only the kept rows are left out",
            "kept=_whole(groups, named)",
            "kept=named",
            (f"{_GROUPS}::test_the_certificate_by_hand[stumps]",),
        ),
        (
            "any row of a group may be named",
            "yield scheme, groups.first[: scheme.pool_size]",
            "yield scheme, np.arange(groups.n_rows(scheme.pool_size))",
            (f"{_GROUPS}::test_candidates_pay_what_they_owe[mixed]",),
        ),
    ],
    "covering.cover_fit": [
        (
            "one class pays for all",
            "zip(fit.classes, fit.chosen, strict=True)",
            "zip(fit.classes[:1], fit.chosen[:1], strict=True)",
            _owes("three classes"),
        ),
    ],
    "tables.draw": [
        (
            "pools by position",
            "BlindOrder(draw.first(digests)[0], draw, digests)",
            "BlindOrder(np.arange(len(digests)), draw, digests)",
            (f"{_VALIDITY}::test_digest_pools_are_fair_among_equal_rows",),
        ),
        (
            "copies of a row on one side",
            "number.to_bytes(8",
            "(0 * number).to_bytes(8",
            (f"{_VALIDITY}::test_digest_pools_are_fair_among_equal_rows",),
        ),
    ],
    "covering.codes.cover_candidate": [
        (
            "kept examples among the counted",
            "n_counted=sizes[-1] + sizes[1] - len(y_kept)",
            "n_counted=sizes[-1] + sizes[1]",
            _owes("balls"),
        ),
        (
            "errors taken out twice",
            "n_wrong[k] - (0 if is_apart else kept[k])",
            "n_wrong[k] - (0 if is_apart else 2 * kept[k])",
            (_COUNTS,),
        ),
        (
            "one kept example free",
            "log_choose(n, len(kept))",
            "log_choose(n, len(kept) - 1)",
            _owes("balls"),
        ),
    ],
    "candidates.pricing": [
        (
            "two rates for the price of one",
            "nats = nats + math.log(2.0)  # two rates at once",
            "nats = nats + 0.0",
            _owes("costs"),
        ),
    ],
    "covering.codes.compression": [
        (
            "which constant free",
            "price = math.log(len(kinds))",
            "price = 0.0",
            _owes("defaults, few examples"),
        ),
    ],
    "candidates.groups": [
        (
            "two counts for the price of one",
            'BOTH = Term("method", "means of groups, or one row of each", math.log(2.0))',
            'BOTH = Term("method", "means of groups, or one row of each", 0.0)',
            (f"{_GROUPS}::test_the_certificate_by_hand[stumps]",),
        ),
        (
            "kept groups among the counted",
            "losses=means[~held]",
            "losses=means",
            (f"{_GROUPS}::test_the_certificate_by_hand[stumps]",),
        ),
        (
            "any error is a whole one",
            "int(np.count_nonzero(self.losses > 0.0))",
            "int(np.count_nonzero(self.losses == 1.0))",
            (f"{_GROUPS}::test_any_error_of_a_group",),
        ),
    ],
    "covering.codes.listed": [
        (
            "default of a list free",
            '"default output", math.log(2.0))',
            '"default output", 0.0)',
            _owes("lists of balls"),
        ),
        (
            "one output for all rules",
            '"output of each rule", r * math.log(2.0))',
            '"output of each rule", math.log(2.0))',
            _owes("lists of balls"),
        ),
        (
            "one family for all rules",
            "r * math.log(len(tables))",
            "math.log(len(tables))",
            _owes("mixed"),
        ),
    ],
    "covering.codes.pool": [
        (
            "errors counted inside the pool",
            "kept=tuple(np.sort(pool).tolist())",
            "kept=()",
            _owes("regressions of pools"),
        ),
        (
            "number of rules too cheap",
            "return n_rules * math.log(2.0)",
            "return (n_rules - 1) * math.log(2.0)",
            _owes("stumps and pools"),
        ),
        (
            "kind of ranked rules free",
            '"conjunction or disjunction", math.log(2.0))',
            '"conjunction or disjunction", 0.0)',
            _owes("stumps and pools"),
        ),
    ],
    "rules.search.pool_sweep": [
        (
            "equal ranks not shared",
            "masses[above]) / levels",
            "masses[above])",
            _owes("stumps and pools"),
        ),
    ],
    "covering.codes.schemes": [
        (
            "masses above one",
            "COMPRESSION_MASS_BESIDE = 0.2",
            "COMPRESSION_MASS_BESIDE = 0.3",
            _owes("regressions of pools"),
        ),
        (
            "each cell the whole mass",
            "_nats(mass / len(cells))",
            "_nats(mass)",
            _owes("defaults, few examples"),
        ),
        (
            "which family free",
            "price = math.log(len(family_sets))",
            "price = 0.0",
            _owes("families of a pool"),
        ),
    ],
}

SELECTION: dict[str, list[Row]] = {
    "estimator": [
        ("delta not divided", "certify(delta / n_choices)", "certify(delta)", (_COINS,)),
        (
            "price of the choice not shown",
            '{n_choices} {what}", math.log(n_choices))',
            '{n_choices} {what}", 0.0)',
            (_FIRST,),
        ),
        (
            "the share for the whole",
            "replace(certificate, delta=delta, terms=terms,",
            "replace(certificate, terms=terms,",
            (_FIRST,),
        ),
        (
            "held-out choices free",
            "held_out_bound(n_rows, n_errors, n_choices=n_choices, delta=delta)",
            "held_out_bound(n_rows, n_errors, delta=delta)",
            (f"{_PROTOCOL}::test_every_estimator_can_be_certified_on_new_rows_only",),
        ),
        (
            "training rows held out",
            "self._seen.refuse(self._as_digested(X, rows), labels)",
            "self._seen.is_seen(self._as_digested(X, rows), labels)",
            (
                f"{_PROTOCOL}::test_every_estimator_can_be_certified_on_new_rows_only",
                "tests/certified/test_classifier.py::test_one_training_row_among_new_ones_is_refused",
            ),
        ),
        (
            "delta of the estimator not used",
            "check_delta(self.delta if delta is None else delta)",
            "check_delta(0.05 if delta is None else delta)",
            (f"{_PROTOCOL}::test_delta_is_a_parameter_that_certify_uses",),
        ),
    ],
    "selection.bound_search": [
        (
            "no setting is paid for",
            "return len({_content(s, i) for i, s in enumerate(kept)})",
            "return 1",
            (_COINS,),
        ),
        (
            "settings told apart by their text",
            "str(joblib.hash(sorted(setting.items())))",
            "repr(sorted(setting.items()))",
            (_COINS,),
        ),
        ("only free parameters paid", "if k not in free", "if k in free", (_FIRST,)),
        (
            "a criterion's choice free",
            "= _share(chosen, self.delta, n_groups)",
            "= _share(chosen, self.delta, 1)",
            (f"{_SEARCH}::test_criteria_choose_and_the_certificate_still_pays",),
        ),
        (
            "the choice of folds free",
            "= _share(self.best_estimator_, self.delta, self.n_groups_)",
            "= _share(self.best_estimator_, self.delta, 1)",
            (f"{_SEARCH}::test_cross_validation_pays_for_what_it_chose_from",),
        ),
        (
            "certified again for free",
            "self.n_groups_ * n_choices",
            "n_choices",
            (_FIRST,),
        ),
        ("the worst setting", "min(order, key=lambda", "max(order, key=lambda", (_FIRST,)),
        (
            "ties to the larger",
            "(self._scores[i], ties[i], i)",
            "(self._scores[i], -ties[i], i)",
            (_TIES,),
        ),
        ("an undefined criterion chosen", "math.inf if math.isnan(v) else v", "v", (_TIES,)),
        (
            "what cannot be compared is equal",
            'return f"setting {position}"',
            'return "setting"',
            (f"{_SEARCH}::test_settings_are_one_only_where_equality_is_proved",),
        ),
    ],
}

TABLE: dict[tuple[str, str], list[Row]] = {
    (package, module): rows
    for package, modules in (("covering", COVERING), ("selection", SELECTION))
    for module, rows in modules.items()
}
