"""Ground floor for data: what a table is, before anything is learned from it.

What lives here: digests of rows and tables, and the order that they give the rows, from which
every pool is drawn. What does not: anything that looks at the relation of features and labels.
"""

from handful.tables._blind import BlindOrder, blind_order
from handful.tables._cases import canonical_order, check_examples, check_rows, uniform_draws
from handful.tables._digests import RowDigests, is_missing, row_digests, table_digest, word_of

__all__ = [
    "BlindOrder",
    "RowDigests",
    "blind_order",
    "canonical_order",
    "check_examples",
    "check_rows",
    "is_missing",
    "row_digests",
    "table_digest",
    "uniform_draws",
    "word_of",
]
