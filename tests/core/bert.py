"""transformers' own BERT, watched while it runs, and our encoder's numbers under the same names."""

import os

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from transformers import BertModel

from mha_core.encoder import finish

TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def eager(folder, dtype):
    """transformers' own model; only its eager attention hands out the weights."""
    return BertModel.from_pretrained(folder, attn_implementation="eager", dtype=getattr(torch, dtype)).eval()


def watch(bert, ids):
    """Run the library on token ids and keep what every layer received and made, in our shapes."""
    seen, hooks = [{} for _ in bert.encoder.layer], []

    def keep(index, name):
        return lambda module, inputs, output: seen[index].__setitem__(name, output[0].numpy())

    for index, layer in enumerate(bert.encoder.layer):
        inside = layer.attention.self
        parts = {
            "Q": inside.query,
            "K": inside.key,
            "V": inside.value,
            "output": layer.attention.output.dense,
            "normed": layer.attention.output.LayerNorm,
            "active": layer.intermediate,
            "fed": layer.output.dense,
        }
        hooks += [module.register_forward_hook(keep(index, name)) for name, module in parts.items()]
    with torch.inference_mode():
        made = bert(input_ids=torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
    for hook in hooks:
        hook.remove()
    for index, found in enumerate(seen):
        for name in "QKV":
            found[name] = found[name].reshape(len(ids), bert.config.num_attention_heads, -1).swapaxes(0, 1)
        found["X"], found["next"] = (made.hidden_states[index + step][0].numpy() for step in (0, 1))
        found["weights"] = made.attentions[index][0].numpy()
    return seen


def ours(encoder, sentence):
    """The same names, from our own pass."""
    reading = encoder.read(sentence)
    for index, trace in enumerate(reading.traces):
        rest = finish(trace, encoder.layers[index])
        yield {
            **{name: getattr(trace, name) for name in ("X", "Q", "K", "V", "weights", "output")},
            "normed": rest.normed,
            "active": rest.active,
            "fed": rest.fed,
            "next": reading.hidden[index + 1],
        }


INSIDE = (
    "normed",
    "active",
    "fed",
)  # the feed-forward part works with numbers near 200; its differences are shares of the largest


def differences(encoder, bert, sentences):
    """The largest difference of every field, over all layers, heads and sentences."""
    worst = {}
    for sentence in sentences:
        theirs = watch(bert, encoder.tokenize(sentence).ids)
        for mine, found in zip(ours(encoder, sentence), theirs, strict=True):
            for name, values in mine.items():
                assert values.shape == found[name].shape and values.dtype == encoder.dtype, name
                size = max(1.0, np.abs(found[name]).max()) if name in INSIDE else 1.0
                worst[name] = max(worst.get(name, 0.0), float(np.abs(values - found[name]).max() / size))
    return worst
