"""Multi-head attention in NumPy that keeps every number and can say where each one came from.

    from mha_core import Parameters, attend, explain
    trace = attend(X, Parameters.seeded(d_model=8, h=2))
    explain(trace, "scores", (1, 2, 0))
"""

from mha_core.arithmetic import Arithmetic, explain
from mha_core.attention import AttentionTrace, attend, causal
from mha_core.parameters import Parameters, head_width, legal_heads
from mha_core.stages import STAGES, Stage

__all__ = [
    "STAGES", "Arithmetic", "AttentionTrace", "Parameters", "Stage",
    "attend", "causal", "explain", "head_width", "legal_heads",
]
