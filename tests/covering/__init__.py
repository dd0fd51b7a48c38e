"""Tests of the covering machines."""
