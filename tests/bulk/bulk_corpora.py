"""Documents for the tests of bulk work."""

import random

WORDS = ["the", "a", "cat", "sat", "über", "naïve", "世界", "👋", "x=1;", '"quoted"']
WORDS += ["tab\there", "don't", "12345", ""]


def sentences(count: int, seed: int = 0) -> list[str]:
    """Distinct documents, some empty, some of several lines."""
    draw = random.Random(seed)
    texts = []
    for number in range(count):
        words = draw.choices(WORDS, k=draw.randrange(0, 40))
        texts.append(f"{number} {' '.join(words)}" if words else "")
    return texts
