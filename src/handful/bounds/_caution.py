"""What must be said before a certificate that says less than it seems to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handful.bounds._certificate import Certificate, percent_text


def caution(
    certificate: Certificate,
    class_counts: Mapping[Any, int],
    *,
    n_errors: int,
    constant: Any = None,
) -> str:
    """The first sentence of a certificate whose classifier is no better than a blind guess.

    Parameters
    ----------
    certificate : Certificate
    class_counts : mapping of label to int
        Number of training examples of each class.
    n_errors : int
        Errors of the classifier on all of them.
    constant : label, optional
        What the classifier calls every case, where it is constant.

    Returns
    -------
    str
        Empty where there is nothing to say.

    Examples
    --------
    >>> from handful.bounds import held_out_bound
    >>> caution(held_out_bound(30, 12), {"sick": 12, "well": 18}, n_errors=12, constant="well")
    'The classifier is constant: it calls every case well, whatever its features.'
    """
    if constant is not None:
        return f"The classifier is constant: it calls every case {constant}, whatever its features."
    if certificate.limit != 1.0:  # a cost, or another loss: there is no share to compare it with
        return ""
    n_samples = sum(class_counts.values())
    larger, n_larger = max(class_counts.items(), key=lambda pair: pair[1])
    n_blind = n_samples - n_larger
    guess = f"always naming the larger class, {larger},"
    if n_errors >= n_blind:
        return (
            f"The classifier is no better than {guess} on these examples: it makes {n_errors} "
            f"errors, the guess {n_blind}."
        )
    if certificate.risk >= n_blind / n_samples:
        return (
            f"There are too few examples to show that the classifier is better than {guess} "
            f"which errs on {percent_text(n_blind / n_samples)} of them."
        )
    return ""
