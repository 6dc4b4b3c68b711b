"""The twelve foundations in order: what each needs, the step that uses it, and its place on the map."""

from dataclasses import dataclass

GOAL = "whole_picture"  # where everything ends: multi-head attention


@dataclass(frozen=True)
class Symbol:
    """One foundation. `needs` are earlier pages; `at` is its place on the map in columns and rows."""

    page: str
    needs: tuple[str, ...]
    step: str
    at: tuple[float, float]


WORDS, N, VECTOR, D_MODEL, MATRIX, PRODUCT, DOT, QKV, HEADS, SOFTMAX, BLEND, ROOT = PAGES = (
    "foundations_00_words", "foundations_01_n", "foundations_02_vector", "foundations_03_d_model", "foundations_04_matrix",
    "foundations_05_product", "foundations_06_dot", "foundations_07_qkv", "foundations_08_heads", "foundations_09_softmax",
    "foundations_10_blend", "foundations_11_root",
)
SYMBOLS = (
    Symbol(WORDS, (), "step_1_arrows", (1, 0)),
    Symbol(N, (WORDS,), "step_3_scores", (0, 1)),
    Symbol(VECTOR, (WORDS,), "step_1_arrows", (2, 1)),
    Symbol(D_MODEL, (VECTOR,), "step_1_arrows", (1, 2)),
    Symbol(MATRIX, (N, D_MODEL), "step_1_arrows", (0, 3)),
    Symbol(PRODUCT, (MATRIX,), "step_2_qkv", (0, 4)),
    Symbol(DOT, (VECTOR,), "step_3_scores", (3, 2)),
    Symbol(QKV, (PRODUCT,), "step_2_qkv", (0, 5)),
    Symbol(HEADS, (D_MODEL, QKV), "step_6_heads", (1, 7)),
    Symbol(SOFTMAX, (DOT,), "step_4_softmax", (3, 6)),
    Symbol(BLEND, (SOFTMAX, QKV), "step_5_blend", (3, 8)),
    Symbol(ROOT, (DOT, HEADS), "step_4_softmax", (2, 8)),
)
END = Symbol(GOAL, (ROOT, BLEND), GOAL, (2, 9))
BY_PAGE = {symbol.page: symbol for symbol in (*SYMBOLS, END)}
EXTRAS = ("foundations_12_map", "foundations_13_checklist")


def needed_for(page: str) -> frozenset[str]:
    """Everything that stands below a symbol, however far down."""
    found = set(BY_PAGE[page].needs)
    for need in BY_PAGE[page].needs:
        found |= needed_for(need)
    return frozenset(found)
