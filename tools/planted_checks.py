"""Errors for the re-check of model files and for the menu, as in `planted_machines`."""

from __future__ import annotations

Row = tuple[str, str, str, tuple[str, ...]]

_TAMPERED = "tests/verify/test_certificate.py"
_SAID = "tests/verify/test_verify.py::test_what_differs_is_said"
_SCORES = "tests/verify/test_score_machines.py"
_FORGED = "tests/verify/test_forged_pools.py"
_FORMS = "tests/verify/test_forged_forms.py"
_GOALS = "tests/certified/test_named_goals.py"
_NAMED = "tests/certified/test_named_beforehand.py::test_the_re_check_derives_the_sentence"
_REFIT = "tests/certified/test_refit.py"
_PICKED = f"{_REFIT}::test_a_certificate_by_disagreement_is_consistent"
_AGAIN = f"{_GOALS}::test_the_re_check_tests_the_chain_again"
_ENDS = f"{_GOALS}::test_the_re_check_at_the_ends_of_a_chain"

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
    "verify.protocol_check": [
        (
            "deviations from the protocol believed",
            'audit.equal("protocol: deviations", record["deviations"], wanted)',
            "None",
            ("tests/cli/test_protocol.py::test_forged_protocols",),
        ),
        (
            "digest of the protocol believed",
            'audit.equal("protocol: digest", record["sha256"], digest)',
            "None",
            ("tests/cli/test_protocol.py::test_forged_protocols",),
        ),
        (
            "a protocol that was not followed leaves the options off the list",
            "    if wanted:",
            "    if False:",
            ("tests/cli/test_protocol.py::test_trust_in_the_options_becomes_trust_in_a_date",),
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
            'check_tail(audit, f"rate {name}", value, rate.n_errors, rate.n_counted, nats_of)',
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
    "verify.refit_check": [
        (
            "half of the confidence lost",
            "paid = total(prices) + log(2)",
            "paid = total(prices)",
            (_PICKED,),
        ),
        (
            "the price of a picked row believed",
            "other = paid if is_picked else",
            "other = paid if 1 else",
            (_PICKED,),
        ),
        (
            "any first sentence",
            'audit.equal("first sentence", training["sentence"], _SENTENCES[has_claim])',
            "None",
            (f"{_REFIT}::test_forged_refits_are_not_valid",),
        ),
    ],
    "verify.menu_check": [
        (
            "roles believed",
            'audit.equal("roles", training["roles"], role_ranks(again["order"], again["named"]))',
            "None",
            (f"{_FORMS}::test_each_kind_of_field[role-True]",),
        ),
        (
            "rank believed",
            'audit.equal("rank in the pool\'s order", training["rank"], again["rank"])',
            "None",
            (f"{_FORMS}::test_each_kind_of_field[rank-True]",),
        ),
        (
            "every role the whole mass",
            "tenths[rank] / whole if",
            "MP.mpf(1) if",
            (f"{_FORMS}::test_honest_files_are_valid",),
        ),
        (
            "a threshold set late pays nothing",
            'if again.get("n_thresholds") is not None:',
            "if False:",
            (_AGAIN,),
        ),
        (
            "own limits of accepted thresholds",
            "_replace(goal=limit if is_said else None)",
            "_replace(goal=None)",
            (_AGAIN,),
        ),
        (
            "the goal for a threshold that is not accepted",
            "is_said = 0 < n_accepted < len(bounds)",
            "is_said = True",
            (_ENDS,),
        ),
        (
            "thresholds tested from the other end",
            "reverse=names[own] != classes[1])",
            "reverse=names[own] == classes[1])",
            (_AGAIN,),
        ),
        (
            "the goal tested at the whole level for two classes",
            "- free + log(2)",
            "- free",
            (_ENDS,),
        ),
        (
            "delta named after looking",
            '"delta": training["delta"] != 0.05,',
            "",
            (_NAMED,),
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
            "self.is_certified and not self.unverified",
            "self.is_certified",
            ("tests/verify/test_audit.py",),
        ),
    ],
}

_MENU = "tests/candidates/test_menu.py"
_GROUPS = "tests/candidates/test_groups.py"
_CHAIN = f"{_GOALS}::test_the_last_accepted_threshold_and_the_goal_no_more"
_PRINTED = "tests/certified/test_goals_hold.py::test_what_is_simulated_is_what_is_printed"

CERTIFIED: dict[str, list[Row]] = {
    "certified.learning": [
        (
            "ranked by training errors upside down",
            "for *_, i in sorted(keys):",
            "for *_, i in sorted(keys, reverse=True):",
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
    "certified.refit": [
        (
            "the certified rule at all of delta",
            "machine.certify(machine.delta / 2.0)",
            "machine.certify(machine.delta)",
            (f"{_REFIT}::test_unlabelled_rows_add_two_limits",),
        ),
        (
            "a picked row pays nothing",
            "message_nats=nats if is_picked else 0.0",
            "message_nats=0.0",
            (f"{_REFIT}::test_unlabelled_rows_add_two_limits",),
        ),
        (
            "unlabelled rows of the table pass",
            "self._seen.refuse(",
            "self._seen.is_seen(",
            (f"{_REFIT}::test_rows_of_the_table_are_refused_as_unlabelled_rows",),
        ),
    ],
    "certified.training_pool": [
        (
            "settings chosen again",
            "best = chosen[:] = pool.setting[0]",
            "pass",
            (f"{_REFIT}::test_a_pool_with_a_setting_takes_it",),
        ),
    ],
    "certified.form_candidates": [
        (
            "rates of a goal without the price of the row",
            'paid = [term.nats for term in made.terms if term.kind != "threshold"]',
            'paid = [term.nats for term in made.terms if term.kind not in ("threshold", "rank")]',
            (_CHAIN,),
        ),
    ],
    "certified.masses": [
        ("role free", "-math.log(float(self.masses[rank - 1]))", "0.0", (_MENU,)),
        ("masses above one", "masses / masses.sum()", "masses / masses.max()", (_MENU,)),
        ("the last pocket form for the first", "*pocket[:1]", "*pocket[-1:]", (_MENU,)),
        (
            "a named favourite holds what the pool's does",
            'MASSES["favourite"] + MASSES["pocket"] for',
            'MASSES["favourite"] for',
            (_MENU,),
        ),
    ],
    "certified.named_goals": [
        (
            "the goal's class takes all of delta",
            "_upper(self.n_wrong, self.n, nats + math.log(2.0))",
            "_upper(self.n_wrong, self.n, nats)",
            (_CHAIN, _PRINTED),
        ),
        (
            "the other class takes all of delta",
            "paid = nats + math.log(2.0) + shared",
            "paid = nats + shared",
            (_CHAIN, _PRINTED),
        ),
        (
            "own limits of accepted thresholds",
            "float(self._tested(nats).printed[self.place])",
            "float(_upper(self.n_wrong, self.n, nats + math.log(2.0))[self.place])",
            (_CHAIN, _PRINTED),
        ),
        (
            "the other class where its errors are fewest",
            "self.n_wrong_other[self.place :][:1]",
            "[min(self.n_wrong_other)]",
            (_CHAIN, _PRINTED),
        ),
        (
            "the first that is not accepted",
            "max(0, self._tested(nats).n_accepted - 1)",
            "min(len(self.n_wrong) - 1, self._tested(nats).n_accepted)",
            (_CHAIN, _PRINTED),
        ),
        (
            "surest last",
            "slice(None) if own == 1 else",
            "slice(None) if own == 0 else",
            (_CHAIN, _PRINTED),
        ),
        (
            "goal of the other class",
            'Goal(("sensitivity", "specificity")[self.position], self.value)',
            "self",
            (_AGAIN,),
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
