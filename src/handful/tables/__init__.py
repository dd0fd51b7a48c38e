"""Ground floor for data: what a table is, before anything is learned from it.

What lives here: digests of rows and tables, and the order that they give the rows, from which
every pool is drawn. What does not: anything that looks at the relation of features and labels.
"""

from handful.tables._blind import BlindOrder, blind_order
from handful.tables._digests import RowDigests, is_missing, row_digests, table_digest, word_of

__all__ = [
    "BlindOrder",
    "RowDigests",
    "blind_order",
    "is_missing",
    "row_digests",
    "table_digest",
    "word_of",
]
