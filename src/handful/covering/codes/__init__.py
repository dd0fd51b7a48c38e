"""Codes: ways to describe a covering machine, each a stream of candidates with their prices.

What lives here: functions that turn rows into candidates: constants, compression schemes and all
half-spaces of the data (`compression`), rule by rule (`listed`), ranks on a pool and the regression
of a pool as it is (`pool`); `schemes` gives each its prior mass. What does not: which candidate is
chosen, and its certificate.

To add a code: a generator of `CoverCandidate` whose terms pay for everything that rebuilding
needs, an entry in `schemes` with a mass that comes out of the others, and a simulation that would
see a missed payment.
"""

from handful.covering.codes.compression import (
    ball_candidates,
    candidates_of_paths,
    compression_candidates,
    constant_candidates,
    exact_candidates,
    kernel_of_rows,
    make_table,
)
from handful.covering.codes.cover_candidate import (
    CoverCandidate,
    PathCounter,
    Terms,
    counted,
    cover_code,
    kept_term,
    recount,
)
from handful.covering.codes.listed import listed_candidates
from handful.covering.codes.pool import plain_candidates, pool_candidates
from handful.covering.codes.schemes import Scheme, auto_schemes, fixed_schemes, is_affordable

__all__ = [
    "CoverCandidate",
    "PathCounter",
    "Scheme",
    "Terms",
    "auto_schemes",
    "ball_candidates",
    "candidates_of_paths",
    "compression_candidates",
    "constant_candidates",
    "counted",
    "cover_code",
    "exact_candidates",
    "fixed_schemes",
    "is_affordable",
    "kept_term",
    "kernel_of_rows",
    "listed_candidates",
    "make_table",
    "plain_candidates",
    "pool_candidates",
    "recount",
]
