"""The trained encoder against sentence-transformers, in the same run: time to the first map, time a sentence, memory.

    python bench/encoder.py              five fresh processes of each, taking turns, then the sentences side by side
    python bench/encoder.py --rounds 2   quicker and rougher

A map is the weights of layer 0 for one sentence. Start and load are told by the clock and by processor time, sentences
by processor time on one thread, so that waiting for a busy core does not count. Trust the ratios, not the milliseconds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SENTENCES = (
    "She is a great leader",
    "I led a team that built a scalable API.",
    "the bank by the river is not the bank that lends money, and " * 4,
    "the bank by the river is not the bank that lends money, and " * 9,
)
ALONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def load_ours():
    from mha_core.pretrained import load_encoder

    return load_encoder()


def map_ours(encoder, sentence):
    return encoder.trace(sentence, 0).weights


def load_library():
    import torch
    from sentence_transformers import SentenceTransformer

    from mha_core.pretrained import _packaged_folder

    torch.set_num_threads(1)
    eager = {"attn_implementation": "eager"}  # the only kind that gives its weights away
    return SentenceTransformer(str(_packaged_folder()), device="cpu", model_kwargs=eager)


def read_library(library, sentence):
    """All layers, with every weight and hidden state, as Encoder.read gives them."""
    import torch

    inputs = library.tokenizer(sentence, truncation=True, max_length=256, return_tensors="pt")
    with torch.inference_mode():
        return library[0].auto_model(**inputs, output_attentions=True, output_hidden_states=True)


def map_library(library, sentence):
    return read_library(library, sentence).attentions[0][0].numpy()


KINDS = {"ours": (load_ours, map_ours), "library": (load_library, map_library)}


def be_fresh(kind, started):
    """In a process of its own: from its start to the first map, loading once more, and the memory at its highest."""
    load, first_map = KINDS[kind]
    import numpy  # noqa: F401  a warm app has it already

    warm, warm_cpu = time.time(), time.process_time()
    first_map(load(), SENTENCES[0])
    shown, shown_cpu = time.time(), time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    load()
    again = time.time() - shown
    return {
        "process start → first map, s": shown - started,
        "the same in processor time, s": shown_cpu,
        "warm app → first map, s": shown - warm,
        "the same in processor time, s ": shown_cpu - warm_cpu,
        "loading once more, s": again,
        "highest memory, MiB": peak,
    }


def run_fresh(kind):
    command = [sys.executable, __file__, "--fresh", kind, "--started", str(time.time())]
    done = subprocess.run(command, capture_output=True, text=True, env=ALONE, check=True, cwd=ROOT)
    return json.loads(done.stdout.splitlines()[-1])


def side_by_side(rounds):
    """Milliseconds of processor time a sentence, both in this process, taking turns."""
    ours, library = load_ours(), load_library()
    rows = {}
    for sentence in SENTENCES:
        n = len(ours.tokenize(sentence).ids)
        tasks = {
            f"n = {n}: all maps of all layers, ms": (lambda s: ours.read(s), lambda s: read_library(library, s)),
            f"n = {n}: sentence vector, ms": (lambda s: ours.encode(s), lambda s: library.encode(s)),
        }
        for name, pair in tasks.items():
            spent = ([], [])
            for _ in range(8 * rounds):
                for task, times in zip(pair, spent):
                    before = time.process_time()
                    task(sentence)
                    times.append(1000 * (time.process_time() - before))
            rows[name] = [median(times) for times in spent]
    return rows


def show(rows):
    print(f"{'':40}{'ours':>10}{'library':>10}{'ours / library':>16}")
    for name, (ours, library) in rows.items():
        print(f"{name:40}{ours:10.2f}{library:10.2f}{ours / library:16.2f}")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("--fresh", choices=KINDS, help=argparse.SUPPRESS)
    ask.add_argument("--started", type=float, help=argparse.SUPPRESS)
    ask.add_argument("--sentences", action="store_true", help=argparse.SUPPRESS)
    asked = ask.parse_args()
    if asked.fresh:
        print(json.dumps(be_fresh(asked.fresh, asked.started)))
    elif asked.sentences:
        print(json.dumps(side_by_side(asked.rounds)))
    else:
        found = {kind: [] for kind in KINDS}
        for _ in range(asked.rounds):
            for kind, results in found.items():
                results.append(run_fresh(kind))
        names = found["ours"][0]
        show({name: [median(result[name] for result in found[kind]) for kind in KINDS] for name in names})
        command = [sys.executable, __file__, "--sentences", "--rounds", str(asked.rounds)]
        done = subprocess.run(command, capture_output=True, text=True, env=ALONE, check=True, cwd=ROOT)
        show(json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
