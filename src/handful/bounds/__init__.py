"""Theorems as pure functions: numbers in, a frozen `Certificate` out.

What lives here: binomial tails and their inverses, every bound of the library, the messages
that sample-compression bounds pay for, the sample-size planner. What does not: anything that
looks at data; machines count, bounds certify.

To add a bound: write one function for one theorem (statement with quantifiers, assumptions,
reference and a runnable example in its docstring; round outward; return 1.0 where it says
nothing), enter it in ``BOUNDS``, give it an oracle in ``tests/oracles.py``, a validity
simulation in ``tests/bounds/test_validity.py`` and a mutant in ``tools/mutants.py``.
"""

from handful.bounds._betting import GROUP_QUANTITIES, betting_bound, prefers_betting
from handful.bounds._caution import caution
from handful.bounds._certificate import (
    RATE_SENTENCES,
    Certificate,
    Criterion,
    NotCertifiableError,
    confidence_text,
    percent_text,
)
from handful.bounds._compression import (
    ClassCounts,
    closed_form_compression_bound,
    compression_bound,
    cost_bound,
    folk_compression_bound,
    kl_compression_bound,
    pool_bound,
)
from handful.bounds._finite_class import finite_class_bound
from handful.bounds._held_out import (
    conformal_p_value,
    dkw_deviation,
    held_out_bound,
    selective_error_bound,
)
from handful.bounds._margin import (
    adaboost_training_bound,
    finite_class_rademacher,
    margin_distribution_bound,
    multiple_kernel_bound,
    rademacher_margin_bound,
)
from handful.bounds._messages import (
    ball_message,
    decision_list_message,
    half_space_message,
    n_bipartite_graphs,
    stump_message,
    two_point_message,
)
from handful.bounds._planner import counted_needed, expected_errors, planned_risk, samples_needed
from handful.bounds._projection import (
    SPARSE_PCA_METHODS,
    code_length_bound,
    matching_pursuit_bound,
    perceptron_bound,
    sparse_pca_bound,
)
from handful.bounds._published import (
    published_ball_bound,
    published_half_space_bound,
    repaired_half_space_bound,
)
from handful.bounds._real_loss import REAL_LOSS_METHODS, pac_bayes_bound, real_loss_bound
from handful.bounds._registry import BOUNDS, Bound
from handful.bounds._stable import stable_bound, stable_risk
from handful.bounds._statements import MISCLASSIFIED, Assumption, Quantity, assume, drawn_by
from handful.bounds._tails import (
    binomial_tail_inverse,
    kl_divergence,
    kl_inverse,
    log_binomial_cdf,
    log_binomial_coefficient,
)
from handful.bounds._terms import Message, Term

__all__ = [
    "BOUNDS",
    "GROUP_QUANTITIES",
    "MISCLASSIFIED",
    "RATE_SENTENCES",
    "REAL_LOSS_METHODS",
    "SPARSE_PCA_METHODS",
    "Assumption",
    "Bound",
    "Certificate",
    "ClassCounts",
    "Criterion",
    "Message",
    "NotCertifiableError",
    "Quantity",
    "Term",
    "adaboost_training_bound",
    "assume",
    "ball_message",
    "betting_bound",
    "binomial_tail_inverse",
    "caution",
    "closed_form_compression_bound",
    "code_length_bound",
    "compression_bound",
    "confidence_text",
    "conformal_p_value",
    "cost_bound",
    "counted_needed",
    "decision_list_message",
    "dkw_deviation",
    "drawn_by",
    "expected_errors",
    "finite_class_bound",
    "finite_class_rademacher",
    "folk_compression_bound",
    "half_space_message",
    "held_out_bound",
    "kl_compression_bound",
    "kl_divergence",
    "kl_inverse",
    "log_binomial_cdf",
    "log_binomial_coefficient",
    "margin_distribution_bound",
    "matching_pursuit_bound",
    "multiple_kernel_bound",
    "n_bipartite_graphs",
    "pac_bayes_bound",
    "percent_text",
    "perceptron_bound",
    "planned_risk",
    "pool_bound",
    "prefers_betting",
    "published_ball_bound",
    "published_half_space_bound",
    "rademacher_margin_bound",
    "real_loss_bound",
    "repaired_half_space_bound",
    "samples_needed",
    "selective_error_bound",
    "sparse_pca_bound",
    "stable_bound",
    "stable_risk",
    "stump_message",
    "two_point_message",
]
