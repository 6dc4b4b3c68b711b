"""What a sum was made of, a whole row at a time: the pieces that figures lay side by side (explain() does one cell)."""

from mha_core.shapes import Array, Float


def pair_products(q: Float[Array, " d_k"], k: Float[Array, " d_k"]) -> Float[Array, " d_k"]:
    """The products whose sum is the dot product of a query row and a key row."""
    return q * k


def weighted_rows(weights: Float[Array, " n_k"], V: Float[Array, "n_k d_v"]) -> Float[Array, "n_k d_v"]:
    """Each value row times its weight; added up over the rows they are the blend."""
    return weights[:, None] * V
