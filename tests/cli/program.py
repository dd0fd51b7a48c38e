"""How tests start the real program, installed or not."""

import os
import sys
from pathlib import Path

import handful

HANDFUL = [sys.executable, "-m", "handful"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(handful.__file__).resolve().parents[1])}
