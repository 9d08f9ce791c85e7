"""What these tests share with others lies in their folders."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "exact"))
sys.path.insert(0, str(Path(__file__).parents[1] / "sentencepiece"))
sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
