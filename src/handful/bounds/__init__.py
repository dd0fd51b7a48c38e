"""Theorems as pure functions: numbers in, a frozen `Certificate` out.

This package holds binomial tails and their inverses, every bound of the library, the messages
that sample-compression bounds pay for, and the sample-size planner. Nothing here looks at data:
machines count, bounds certify.

To add a bound: write one function for one theorem (statement with quantifiers, assumptions,
reference and a runnable example in its docstring; round outward; return 1.0 if the theorem says
nothing). Enter the function in ``BOUNDS``. Give it an oracle in ``tests/oracles/bounds.py``, a
validity simulation in ``tests/bounds/test_validity.py`` and a mutant in
``tools/planted_bounds.py``.
"""

from handful.bounds.certificates import (
    RATE_SENTENCES,
    Certificate,
    Criterion,
    NotCertifiableError,
    caution,
    confidence_text,
    percent_text,
)
from handful.bounds.classical import (
    code_length_bound,
    conformal_p_value,
    disagreement_bound,
    dkw_deviation,
    finite_class_bound,
    held_out_bound,
    selective_error_bound,
)
from handful.bounds.compression_bounds import (
    ClassCounts,
    closed_form_compression_bound,
    compression_bound,
    cost_bound,
    folk_compression_bound,
    kl_compression_bound,
    pool_bound,
)
from handful.bounds.losses import (
    GROUP_QUANTITIES,
    REAL_LOSS_METHODS,
    betting_bound,
    pac_bayes_bound,
    prefers_betting,
    real_loss_bound,
)
from handful.bounds.margin_bounds import (
    adaboost_training_bound,
    finite_class_rademacher,
    margin_distribution_bound,
    multiple_kernel_bound,
    rademacher_margin_bound,
)
from handful.bounds.messages import (
    Message,
    Term,
    ball_message,
    decision_list_message,
    half_space_message,
    log_zeta_prior,
    n_bipartite_graphs,
    stump_message,
    two_point_message,
)
from handful.bounds.planner import counted_needed, expected_errors, planned_risk, samples_needed
from handful.bounds.published import (
    published_ball_bound,
    published_half_space_bound,
    repaired_half_space_bound,
)
from handful.bounds.registry import BOUNDS, Bound
from handful.bounds.sparse_expansions import (
    SPARSE_PCA_METHODS,
    matching_pursuit_bound,
    perceptron_bound,
    sparse_pca_bound,
)
from handful.bounds.stable_schemes import stable_bound, stable_risk
from handful.bounds.statements import MISCLASSIFIED, Assumption, Quantity, assume, drawn_by
from handful.bounds.tails import (
    binomial_tail_inverse,
    kl_divergence,
    kl_inverse,
    log_binomial_cdf,
    log_binomial_coefficient,
    log_choose,
)

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
    "disagreement_bound",
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
    "log_choose",
    "log_zeta_prior",
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
