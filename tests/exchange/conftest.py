import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "documents"))  # `papers` writes the documents that are exported
