"""Codes: ways to describe a covering machine, each a stream of candidates with their prices.

What lives here: functions that turn rows into candidates: constants, compression schemes and all
half-spaces of the data (`compression`), rule by rule (`listed`), ranks on a pool and the regression
of a pool as it is (`pool`); `schemes` gives each its prior mass. What does not: which candidate is
chosen, and its certificate.

To add a code: a generator of `CoverCandidate` whose terms pay for everything that rebuilding
needs, an entry in `schemes` with a mass that comes out of the others, and a simulation that would
see a missed payment.
"""
