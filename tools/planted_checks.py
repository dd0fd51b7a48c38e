"""Errors for the re-check of model files and for the menu, as in `planted_machines`."""

from __future__ import annotations

Row = tuple[str, str, str, tuple[str, ...]]

_TAMPERED = "tests/verify/test_certificate.py"
_SAID = "tests/verify/test_verify.py::test_what_differs_is_said"
_SCORES = "tests/verify/test_score_machines.py"
_FORGED = "tests/verify/test_forged_pools.py"

VERIFY: dict[str, list[Row]] = {
    "verify.covers": [
        (
            "a kept example twice",
            "all(i < j for i, j in",
            "all(i <= j for i, j in",
            (_SAID,),
        ),
        (
            "weights not compared with the examples",
            'is_same = cover.value["weights"] == (a - b).tolist()',
            "is_same = True",
            (_SAID,),
        ),
        (
            "tolerance of a ball believed",
            "is_close(tol, RELATIVE * cut, RELATIVE * abs(cut))",
            "True",
            (_SAID,),
        ),
        (
            "labels of rules not looked at",
            'self.audit.equal("labels of the rules", labels, [1] * len(asked))',
            "None",
            (_SAID,),
        ),
        (
            "sides of a conjunction mixed up",
            "self._cover(c, _OPPOSITE, is_pool)",
            "self._cover(c, _SIDES, is_pool)",
            ("tests/verify/test_verify.py::test_honest_files_are_valid",),
        ),
    ],
    "verify.sealed": [
        (
            "hash not compared",
            'audit.equal("content hash", document.get(HASH_FIELD), digest)',
            "None",
            ("tests/verify/test_verify.py::test_any_digit_anywhere",),
        ),
        (
            "fields of parts not compared",
            "found = [audit.fields(name, document[name], wanted[name]) for name in wanted]",
            "found = [True]",
            (_SAID,),
        ),
    ],
    "verify.sheets": [
        (
            "columns of a clean table believed",
            'audit.equal(f"reading of {name!r}", {key: column[key] for key in plain}, plain)',
            "True",
            (_SAID,),
        ),
        (
            "training data not compared",
            'is_same = data["sha256"] == digest',
            "is_same = True",
            ("tests/verify/test_verify.py::test_other_data_say_how_they_differ",),
        ),
    ],
    "verify.cover_check": [
        (
            "pool not drawn again",
            "holds = set(kept) == pool if is_whole else set(kept) <= pool",
            "holds = True",
            ("tests/verify/test_verify.py::test_a_kept_example_comes_from_the_pool",),
        ),
        (
            "regression not fitted again",
            'check_linear(audit, where, (cover.value["weights"], cover.cut), (weights, cut), X)',
            "None",
            (_FORGED, "tests/verify/test_linear.py"),
        ),
        (
            "errors of the file believed",
            'is_wrong = labels_of(fitted["machine"], E) != truth',
            "is_wrong = truth != truth",
            ("tests/verify/test_verify.py::test_honest_files_are_valid[stumps]",),
        ),
        (
            "compression set not derived",
            'audit.equal("compression set", sorted(rows), sorted(named))',
            "None",
            (_SAID,),
        ),
        (
            "examples of a pool's rule not compared",
            "holds = is_made_of(",
            "holds = True or is_made_of(",
            (_SAID,),
        ),
        (
            "errors inside the set counted out",
            "n_errors=int((is_wrong & outside).sum()),",
            "n_errors=int(is_wrong.sum()),",
            ("tests/verify/test_verify.py::test_honest_files_are_valid",),
        ),
        (
            "two rates for the price of one",
            'paid += [Price("rates", "two rates at once, ln 2", log(2))] if costs else []',
            "pass",
            ("tests/verify/test_verify.py::test_honest_files_are_valid[pool-cost]",),
        ),
    ],
    "verify.claims": [
        (
            "wording not derived",
            "    _check_words(audit, certificate, claim, n_groups)",
            "    pass",
            ("tests/verify/test_wording.py",),
        ),
        (
            "groups of settings free",
            'groups of settings", log(n_groups)))',
            'groups of settings", log(1)))',
            ("tests/verify/test_verify.py::test_honest_files_are_valid[search]",),
        ),
        (
            "delta not compared",
            'audit.equal("certificate: delta", certificate["delta"], training["delta"])',
            "None",
            (_TAMPERED,),
        ),
        (
            "counts not compared",
            'for name in ("n_samples", "n_errors", "n_compressed"):',
            'for name in ("n_samples",):',
            (
                _TAMPERED,
                f"{_SCORES}::test_set_and_risk_of_a_stable_machine_are_checked_each",
            ),
        ),
        (
            "rates not compared",
            'check_tail(audit, f"rate {name}", value, rate.n_errors, rate.n_counted, paid)',
            "True",
            (_TAMPERED,),
        ),
        (
            "a stable bound of any set",
            "holds = is_number(risk) and is_stable_bound(risk, k, n, MP.exp(-nats))",
            "holds = True",
            (f"{_SCORES}::test_set_and_risk_of_a_stable_machine_are_checked_each",),
        ),
    ],
    "verify.pool_candidates": [
        (
            "ranks free",
            "prices.append(_rank_price(np.concatenate([u.ravel() for u in useful]), own))",
            "prices.append(0.0)",
            (
                "tests/verify/test_verify.py::test_honest_files_are_valid[pool]",
                "tests/verify/test_pool.py",
            ),
        ),
    ],
    "verify.audit": [
        (
            "types not minded",
            "if type(found) is not type(wanted):",
            "if False:",
            ("tests/verify/test_audit.py",),
        ),
        (
            "not looked at is valid",
            "return bool(self.findings) and all(",
            "return all(",
            ("tests/verify/test_audit.py",),
        ),
        (
            "unverified is valid",
            "return self.is_consistent and not self.unverified",
            "return self.is_consistent",
            ("tests/verify/test_audit.py",),
        ),
    ],
}

_MENU = "tests/candidates/test_menu.py"
_GROUPS = "tests/candidates/test_groups.py"

CERTIFIED: dict[str, list[Row]] = {
    "certified.learning": [
        (
            "rank free",
            "-math.log(mass))",
            "0.0)",
            ("tests/certified/test_classifier.py", "tests/certified/test_learn.py"),
        ),
        (
            "ranked by training errors upside down",
            "for key in sorted(keys)]",
            "for key in sorted(keys, reverse=True)]",
            ("tests/certified/test_learn.py",),
        ),
        (
            "rows for groups in the pool's error",
            "is_wrong if groups is None else groups.warm_up",
            "is_wrong",
            ("tests/certified/test_learn.py",),
        ),
    ],
    "certified.estimators": [
        (
            "errors counted inside the pool",
            'counted = rows.fold(counting, "count", without=np.sort(drawn)).each',
            'counted = rows.fold(counting, "count").each',
            ("tests/certified/test_learn.py",),
        ),
    ],
    "candidates.counting": [
        (
            "rows of a class that the pool does not know are not counted",
            "int(np.count_nonzero(y < 0))",
            "0",
            ("tests/certified/test_unknown_classes.py",),
        ),
    ],
    "candidates.pricing": [
        (
            "price of a row free",
            "np.array([candidate.nats for candidate in candidates]) - math.log(delta)",
            "np.zeros(len(candidates)) - math.log(delta)",
            (_MENU,),
        ),
        (
            "choices after the menu free",
            '"delta": delta, "n_choices": n_choices}',
            '"delta": delta}',
            ("tests/certified/test_classifier.py", _MENU),
        ),
        (
            "itemised price empty",
            '"message_nats": code.message',
            '"message_nats": 0.0',
            (_MENU,),
        ),
        (
            "groups counted as rows",
            "if not groups.is_binomial and not groups.pays_both:",
            "if False:",
            (_MENU,),
        ),
        (
            "both ways to count groups for the price of one",
            "both = replace(code, terms=(*code.terms, BOTH))",
            "both = code",
            (_GROUPS,),
        ),
    ],
    "candidates.menu": [
        (
            "simplest of all",
            "if risks[row] <= best + tolerance]",
            "if True]",
            (_MENU,),
        ),
    ],
    "certified.form_candidates": [
        (
            "masses above one",
            "(1.0 - first) * rest / rest.sum()",
            "rest / rest.sum()",
            (_MENU,),
        ),
    ],
    "tables.draw": [
        (
            "groups in the order of their names",
            "order = np.concatenate([inside[k] for k in drawn.order])",
            "order = np.concatenate(inside)",
            ("tests/certified/test_groups.py",),
        ),
        (
            "rows of a group by the order of the file",
            'Draw("group " + key.tobytes().hex()).first(digests)[0]',
            "np.arange(len(part))",
            ("tests/covering/test_groups.py::test_the_order_of_rows_does_not_matter",),
        ),
    ],
    "candidates.groups": [
        (
            "any error is the first",
            "int(np.count_nonzero(self.losses > 0.0))",
            "int(np.count_nonzero(self.losses == 1.0))",
            (_GROUPS,),
        ),
        (
            "all rows of a group counted",
            "is_wrong[groups.first[~held]]",
            "is_wrong",
            (_GROUPS,),
        ),
    ],
    "candidates.candidate": [
        (
            "both rates for the price of one",
            "paid = nats + math.log(2.0)",
            "paid = nats",
            ("tests/certified/test_classifier.py::test_both_kinds_of_error_are_limited",),
        ),
    ],
}

TABLE: dict[tuple[str, str], list[Row]] = {
    (package, module): rows
    for package, modules in (("verify", VERIFY), ("certified", CERTIFIED))
    for module, rows in modules.items()
}
