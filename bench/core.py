"""How fast is the core? attend(), everything kept, against torch's own layer and against the bare matrix products.

    python bench/core.py                 all six sizes, one thread, then two threads for information
    python bench/core.py --seconds 1     quicker and rougher

All of them run in one process and take turns call by call, so that a busy machine slows all alike; trust the ratios,
not the microseconds. On one thread it is processor time that counts, so waiting for a core does not; on two it is the
clock. float32, no mask. torch: MultiheadAttention(need_weights=True, average_attn_weights=False), batch_first, eval,
inference_mode. The bare products are what no implementation can do without: projections (in the faster of two layouts),
Q Kᵀ, weights V and concat W_O, on arrays that lie ready; nothing is checked, scaled, exponentiated or put side by side.
Unset OPENBLAS_CORETYPE for this command: it can force a slow kernel. The first line says which kernel runs.
"""

import argparse
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns, process_time_ns

import numpy as np
import torch
from threadpoolctl import threadpool_info, threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))
from mha_core import Parameters, attend  # noqa: E402

ROW = "{:>16} {:>10} {:>10} {:>10}   {:>16} {:>16}"
SIZES = ((10, 512, 8), (10, 768, 12), (64, 512, 8), (128, 768, 12), (512, 768, 12), (1024, 1024, 16))


@dataclass(frozen=True)
class Result:
    """Medians in microseconds; ratios between the quickest tenths, which a busy machine disturbs least."""

    ours: float
    torch: float
    bare: float
    to_torch: float
    to_bare: float


def aim_to_torch(n):
    return 0.65 if n <= 10 else 1.0 if n <= 128 else 1.15


def aim_to_bare(n):
    return 1.25 if n <= 128 else None


def torch_layer(p):
    """torch's layer with our parameters, so that both do the same work on the same numbers."""
    layer = torch.nn.MultiheadAttention(p.d_model, p.h, bias=False, batch_first=True).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.from_numpy(p.fused.T.copy()))
        layer.out_proj.weight.copy_(torch.from_numpy(p.W_O.T.copy()))
    return layer


def run_torch(layer, X):
    with torch.inference_mode():
        return layer(X, X, X, need_weights=True, average_attn_weights=False)


def bare_after(trace):
    """The products behind the projections, on contiguous arrays."""
    Q, K_T, V = (np.ascontiguousarray(a) for a in (trace.Q, trace.K.swapaxes(1, 2), trace.V))
    return lambda: (Q @ K_T, trace.weights @ V, trace.concat @ trace.parameters.W_O)


def bare_thin(trace):
    X, p, after = trace.X, trace.parameters, bare_after(trace)
    return lambda: (X @ p.W_Q, X @ p.W_K, X @ p.W_V, after())


def bare_wide(trace):
    X, after = trace.X, bare_after(trace)
    return lambda: (X @ trace.parameters.fused, after())


def take_turns(calls, seconds, now):
    """Times in nanoseconds, one row a round, one column a call; at least five rounds, each in an order of its own.

    The order is drawn anew every time because whoever runs second finds X and W_O in the cache.
    """
    for call in calls:
        call()
    draw, rounds, end = np.random.default_rng(0), [], perf_counter_ns() + seconds * 1e9
    while len(rounds) < 5 or perf_counter_ns() < end:
        row = [0] * len(calls)
        for i in draw.permutation(len(calls)):
            start = now()
            calls[i]()
            row[i] = now() - start
        rounds.append(row)
    return np.array(rounds, float)


def measure(n, d_model, h, seconds, now):
    p = Parameters.seeded(d_model, h, dtype=np.float32)
    X = np.random.default_rng(n).standard_normal((n, d_model)).astype(np.float32)
    trace = attend(X, p)
    theirs = partial(run_torch, torch_layer(p), torch.from_numpy(X)[None])
    assert np.allclose(trace.output, theirs()[0][0].numpy(), atol=1e-4), "ours and torch's do not compute the same"
    times = take_turns([partial(attend, X, p), theirs, bare_thin(trace), bare_wide(trace)], seconds, now)
    ours, other, bare = times[:, 0], times[:, 1], times[:, 2 + int(median(times[:, 2]) > median(times[:, 3]))]
    quick = [np.percentile(t, 10) for t in (ours, other, bare)]
    return Result(*(median(t) / 1000 for t in (ours, other, bare)), quick[0] / quick[1], quick[0] / quick[2])


def table(threads, seconds):
    print("\n1 thread" if threads == 1 else f"\n{threads} threads (for information; the aims are for one)")
    print(ROW.format("n, d_model, h", "attend µs", "torch µs", "bare µs", "to torch", "to bare"))
    met = True
    torch.set_num_threads(threads)
    with threadpool_limits(threads):
        for n, d_model, h in SIZES:
            r = measure(n, d_model, h, seconds, perf_counter_ns if threads > 1 else process_time_ns)
            verdicts = [said(r.to_torch, aim_to_torch(n)), said(r.to_bare, aim_to_bare(n))]
            met &= not any("!" in v for v in verdicts)
            print(ROW.format(f"{n}, {d_model}, {h}", round(r.ours), round(r.torch), round(r.bare), *verdicts))
    return met


def said(ratio, aim):
    return f"{ratio:.2f}" if aim is None else f"{ratio:.2f} (≤ {aim:.2f}){' ' if ratio <= aim else '!'}"


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--seconds", type=float, default=4, help="for each size")
    seconds = ask.parse_args().seconds
    kernels = {f"{i['internal_api']} {i.get('version')} {i.get('architecture', '')}".strip() for i in threadpool_info()}
    print(f"numpy {np.__version__}, torch {torch.__version__}; {'; '.join(sorted(kernels))}")
    met = table(1, seconds)
    table(2, seconds)
    print("\nevery aim met on one thread" if met else "\nan aim was missed on one thread (marked !)")


if __name__ == "__main__":
    main()
