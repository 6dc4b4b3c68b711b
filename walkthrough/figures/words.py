"""Every word that figures say by themselves, in one place, so that another language is one more place."""

HEADINGS = {
    "score": "scores",
    "scaled": "divided",
    "masked": "masked",
    "weight": "weights",
    "query": "query",
    "key": "key",
    "share": "weight",
    "parts": "weight × value row",
    "sum": "new row",
    "product": "q × k",
    "running": "added up",
    "total": "score",
    "shares": "what each head adds",
    "output": "output row",
    "total_mark": "sum",
    "bias": "bias",
    "head": "head {number}",
    "more": "… {count} more",
    "folded": "first {shown} of {all} numbers",
}
SENTENCES = {
    "row": "The largest weight, {weight} of 1, goes to {most}; its score {score} became {scaled} by dividing.",
    "row_least": " The smallest, {weight}, goes to {least}.",
    "row_equal": "All {n} scores are equal after dividing, so every word gets the same weight, {weight}.",
    "row_alone": (
        "There is only {most} to look at, so it gets the whole weight, {weight}; its score {score} cannot "
        "matter."
    ),
    "row_masked": " {hidden} masked: a score of −∞ and a weight of exactly 0.",
    "divisors": "The largest weight of the row under each divisor – {tops}.",
    "beams_weight": "{query} gives most weight to {most}, {most_number} of 1, and least to {least}, {least_number}.",
    "beams_score": (
        "{query} scores highest with {most}, {most_number}, and lowest with {least}, {least_number}; "
        "{negative}."
    ),
    "beams_alone": "{query} can only look at {most}: {most_number}.",
    "beams_masked": " {hidden} masked and gets no beam.",
    "arrows": (
        "Each of the {n} words is an arrow from the origin; the longest is {longest}, {length} long in this "
        "picture."
    ),
    "arrows_chosen": " {chosen} points to {place}.",
    "arrows_same": " {same} end at the very same point.",
    "blend": (
        "The new row is a blend of {n} value rows; the largest part, {weight} of it, is the row of {most}. "
        "It begins {row}."
    ),
    "shares": (
        "The output row begins {row}; head {head} adds most to it, {length} when the sizes of its numbers "
        "are added up."
    ),
    "dot": (
        "{count} products, one for each pair of numbers, add up to the score {score}; the largest in size is "
        "{product} (pair {pair})."
    ),
    "pair_same": "The arrows point much the same way, so their dot product is large: {score}.",
    "pair_right": "The arrows stand at a right angle, so their dot product is {score}.",
    "pair_opposite": "The arrows point against each other, so their dot product is negative: {score}.",
    "pair_nothing": "One of the arrows has no length, so the dot product is 0.",
}


def counted(count: int, noun: str) -> str:
    """1 key is, 3 keys are"""
    return f"{count} {noun} is" if count == 1 else f"{count} {noun}s are"
