"""Slow twins of the fast code: independent implementations that import nothing from the package."""
