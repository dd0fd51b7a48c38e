"""Rules: what a machine is made of, and the compiled search for the best one."""

__all__: list[str] = []
