"""Every live number of the prose, worked out from one walk and written as a reader sees it.

`numbers(walk)["score"]` is "0.21". Values are computed when they are asked for, so a page pays for its own alone. The
tables below list the names: what each one is, and how it is made. Where several could be meant it is the chosen word,
the chosen head, and the partner: the key that the chosen word looks at most in that head.
"""

from collections.abc import Callable, Iterator, Mapping
from math import log, sqrt

import numpy as np

from mha_core.attention import blend, scale, softmax
from mha_core.parameters import head_width, legal_heads
from mha_core.tokens import tokenize
from walkthrough import phrases, what_if
from walkthrough.digits import digits
from walkthrough.phrases import View, gap, percent, settled, shape, whole
from walkthrough.walk import Walk

AHEAD = 20  # how far an edge case lifts one scaled score above the others
STORY = "I led a team that built a scalable API."
STORY_D_MODEL, STORY_H = 512, 8
STORY_LEAD = log(21)  # e^lead = 21 beside nine times e^0 = 1, so 21 of 30 parts go to one word


def numbers(walk: Walk, language: str = "en") -> "Numbers":
    """All live values of a walk, by name."""
    return Numbers(walk, language)


class Numbers(Mapping):
    """Name → text, each made when first asked for. A name that is not in the tables is a KeyError."""

    def __init__(self, walk: Walk, language: str = "en"):
        self._view = View(walk, language)
        self._made: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._made:
            self._made[name] = NAMES[name][1](self._view)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


Live = tuple[str, Callable[[View], str]]


def _position_key(v: View) -> str:
    """Which sentence tells how the rows of X came about, beside the words themselves."""
    chosen = v.walk.settings
    if chosen.source == "seeded":
        return "position_said_off" if v.trace.P is None else "position_said_on"
    return f"position_said_{'hand' if chosen.source == 'hand-built' else 'first' if chosen.layer == 1 else 'later'}"


def _origin(v: View) -> str:
    s = v.walk.settings
    return v.say(f"origin_{s.source.replace('-', '_')}", seed=s.seed, layer=s.layer, model=v.walk.origin)


SENTENCE: dict[str, Live] = {
    "sentence": ("as typed", lambda v: v.walk.settings.sentence),
    "sentence_short": ("the same, cut to fit a headline", lambda v: phrases.shortened(v.walk.settings.sentence)),
    "origin": ("a sentence: where the numbers come from", _origin),
    "word": ("the chosen word", lambda v: v.walk.tokens[v.walk.word]),
    "word_place": ("its place, counted from 1", lambda v: str(v.walk.word + 1)),
    "head": ("the chosen head, counted from 1", lambda v: str(v.walk.head + 1)),
    "partner": ("the key it looks at most", lambda v: v.walk.other_tokens[v.partner]),
    "partner_place": ("the partner's place, counted from 1", lambda v: str(v.partner + 1)),
    "partner_named": ("the partner in quotes, with its place where it is repeated", lambda v: v.named(v.partner)),
    "partner_or_itself": ("the same, or “itself”", lambda v: v.named_for(v.walk.word, v.partner)),
    "n": ("words that ask", lambda v: str(len(v.walk.tokens))),
    "n_keys": ("words that are asked", lambda v: str(len(v.walk.other_tokens))),
    "keys_words": ("3 words, of those that are asked", lambda v: v.count("words", len(v.walk.other_tokens))),
    "n_words": ("3 words", lambda v: v.count("words", len(v.walk.tokens))),
    "n_squared": ("pairs of words", lambda v: whole(len(v.walk.tokens) * len(v.walk.other_tokens))),
}
SIZES: dict[str, Live] = {
    "d_model": ("numbers a word comes in with", lambda v: str(v.parameters.d_model)),
    "d_out": ("numbers a word leaves with", lambda v: str(v.parameters.d_out)),
    "d_k": ("width of one head's query row", lambda v: str(v.parameters.d_k)),
    "d_v": ("width of one head's value row", lambda v: str(v.parameters.d_v)),
    "h": ("heads", lambda v: str(v.parameters.h)),
    "h_heads": ("2 heads", lambda v: v.count("heads", v.parameters.h)),
    "views": ("2 views", lambda v: v.count("views", v.parameters.h)),
    "bands": ("2 coloured bands", lambda v: v.count("bands", v.parameters.h)),
    "products": ("4 products: one for each number of a query row", lambda v: v.count("products", v.parameters.d_k)),
    "row_numbers": ("4 numbers: a value row of one head", lambda v: v.count("numbers", v.parameters.d_v)),
    "columns": ("4 columns: the width of a query row", lambda v: v.count("columns", v.parameters.d_k)),
    "wide": ("numbers of all heads side by side", lambda v: str(v.trace.concat.shape[1])),
    "shape_X": ("", lambda v: shape(*v.trace.X.shape)),
    "shape_alone": ("of the X of a sentence of one word", lambda v: shape(*v.trace.X[:1].shape)),
    "shape_Q": ("of one head, as the next ones", lambda v: shape(*v.trace.Q.shape[1:])),
    "shape_K": ("", lambda v: shape(*v.trace.K.shape[1:])),
    "shape_V": ("", lambda v: shape(*v.trace.V.shape[1:])),
    "shape_W_Q": ("", lambda v: shape(*v.parameters.W_Q.shape[1:])),
    "shape_scores": ("", lambda v: shape(*v.trace.scores.shape[1:])),
    "shape_head": ("", lambda v: shape(*v.trace.heads.shape[1:])),
    "shape_concat": ("of all heads together", lambda v: shape(*v.trace.concat.shape)),
    "shape_W_O": ("", lambda v: shape(*v.parameters.W_O.shape)),
    "shape_output": ("", lambda v: shape(*v.trace.output.shape)),
}
STEPS_1_TO_3: dict[str, Live] = {
    "position_said": ("what happens about places", lambda v: v.say(_position_key(v), layer=v.walk.settings.layer - 1)),
    "length": ("of the chosen word's arrow", lambda v: digits(float(np.linalg.norm(v.trace.X[v.walk.word])))),
    "twice_apart": ("the word twice, with positions: how far the two rows differ",
                    lambda v: gap(v, *what_if.word_twice(v.walk, positions=True))),
    "twice_same": ("the same without positions", lambda v: gap(v, *what_if.word_twice(v.walk, positions=False))),
    "first_query": ("first number of the query", lambda v: digits(float(v.query[0]))),
    "score": ("of the word with its partner", lambda v: digits(float(v.trace.scores[v.at][v.partner]))),
    "self_score": ("of the word with its own key", lambda v: digits(
        what_if.score_against(v.walk, v.trace.K[v.walk.head, min(v.walk.word, len(v.walk.other_tokens) - 1)]))),
    "double_score": ("with a query twice as long", lambda v: digits(2 * float(v.trace.scores[v.at][v.partner]))),
    "same_score": ("with a key equal to the query", lambda v: digits(what_if.score_against(v.walk, v.query))),
    "opposite_score": ("with that key turned round", lambda v: digits(what_if.score_against(v.walk, -v.query))),
    "right_angle_score": ("with a key at a right angle",
                          lambda v: digits(what_if.score_against(v.walk, what_if.right_angle(v.query)))),
    "mutual": ("a sentence: the score there and back", phrases.mutual),
    "angle": ("between the query and the partner's key", phrases.angle),
    "query_length": ("", lambda v: digits(float(np.linalg.norm(v.query)))),
    "key_length": ("of the partner's key", lambda v: digits(float(np.linalg.norm(v.key)))),
}
STEP_4: dict[str, Live] = {
    "root": ("√d_k", lambda v: digits(sqrt(v.parameters.d_k))),
    "divisor": ("what the scores were divided by", lambda v: digits(v.trace.divisor)),
    "divisor_said": ("the same in words", phrases.divisor),
    "scaled_score": ("of the word with its partner", lambda v: digits(float(v.trace.scaled[v.at][v.partner]))),
    "weight": ("of the partner", lambda v: digits(float(v.trace.weights[v.at][v.partner]))),
    "weight_percent": ("the same", lambda v: v.percent(*v.at, v.partner)),
    "self_percent": ("what the word keeps for itself",
                     lambda v: v.percent(*v.at, min(v.walk.word, len(v.walk.other_tokens) - 1))),
    "first_percent": ("what it gives to word 1", lambda v: v.percent(*v.at, 0)),
    "row_said": ("whom the word looks at, with percentages", phrases.row),
    "rounding": ("a sentence: why they may not come to 100", phrases.rounding),
    "column_sum": ("of the partner's column of weights",
                   lambda v: settled(v.trace.weights[v.walk.head][:, v.partner].sum())),
    "mask_said": ("a sentence: what the mask shuts", phrases.masking),
    **{f"percent_{name}": ("of the partner, with this divisor", lambda v, name=name: percent(
        what_if.weights_with(v.walk, name)[v.partner], only=what_if.allowed_row(v.walk).sum() == 1))
       for name in ("sqrt", "none", "d_k")},
    "ahead": ("how far one score is lifted", lambda v: str(AHEAD)),
    "dominant_percent": ("of the partner, its score lifted", lambda v: percent(
        what_if.one_dominates(v.walk, v.partner, AHEAD)[v.partner], only=what_if.allowed_row(v.walk).sum() == 1)),
    "equal_weight": ("with equal scores", lambda v: digits(float(what_if.all_equal(len(v.walk.other_tokens))[0]))),
    "negative_gap": ("all scores made negative: how far the weights move",
                     lambda v: gap(v, what_if.all_negative(v.walk), v.trace.weights[v.at])),
    "causal_visible": ("keys the word may look at under the causal mask",
                       lambda v: str(what_if.causal_counts(v.walk)[0])),
    "causal_shut": ("cells shut by the causal mask", lambda v: v.count("cells", what_if.causal_counts(v.walk)[1])),
    "alone_weight": ("of the word alone",
                     lambda v: digits(float(what_if.word_alone(v.walk).weights[0, 0, 0]))),
}
STEP_5: dict[str, Live] = {
    "head_first": ("first number of the word's blend", lambda v: digits(float(v.trace.heads[v.at][0]))),
    "copied_gap": ("the partner's score lifted: how far the blend is from its value row", lambda v: gap(
        v, what_if.blended(v.walk, what_if.one_dominates(v.walk, v.partner, AHEAD)), v.partner_value)),
    "averaged_gap": ("equal scores: how far the blend is from the mean value row", lambda v: gap(
        v, what_if.blended(v.walk, what_if.all_equal(len(v.walk.other_tokens))), v.trace.V[v.walk.head].mean(axis=0))),
    "alone_gap": ("the word alone: how far its blend is from its value row", lambda v: gap(
        v, *(getattr(what_if.word_alone(v.walk), grid)[0] for grid in ("heads", "V")))),
}
STEP_6: dict[str, Live] = {
    "work_one": ("multiplications for the scores of one head as wide as all",
                 lambda v: whole(v.trace.scores[0].size * v.parameters.h * v.parameters.d_k)),
    "work_heads": ("the same for the heads as they are", lambda v: whole(v.trace.scores.size * v.parameters.d_k)),
    "grid_cells": ("weights kept in all heads", lambda v: whole(v.trace.weights.size)),
    "legal_h": ("the h that divide d_model", lambda v: ", ".join(map(str, legal_heads(v.parameters.d_model)))),
    "illegal_h": ("the smallest that does not", lambda v: str(phrases.illegal_heads(v.parameters.d_model)[0])),
    "illegal_message": ("what the core says to it", lambda v: phrases.illegal_heads(v.parameters.d_model)[1]),
    "head_alone_gap": ("the head run alone: how far its rows move",
                       lambda v: gap(v, what_if.head_alone(v.walk).heads[0], v.trace.heads[v.walk.head])),
    "shared_gap": ("one set of matrices for all: largest difference between two heads",
                   lambda v: digits(float(np.ptp(what_if.heads_sharing(v.walk).heads, axis=0).max()))),
    "cut_late_gap": ("one wide product, then cut",
                     lambda v: gap(v, what_if.queries_cut_late(v.walk), v.trace.Q[v.walk.head])),
    "cut_early": ("a sentence: what cutting X first would do", phrases.cut_early),
    "heads_looking": ("where the word looks in each head", phrases.heads_looking),
    "words_looking": ("where each word looks in the chosen head", phrases.words_looking),
}
STEP_7: dict[str, Live] = {
    "order": ("which columns belong to which head", phrases.order_of_lanes),
    "shares_first": ("the heads' shares of the word's first output number", phrases.shares_of_first),
    "output_first": ("that number", lambda v: digits(float(v.trace.output[v.walk.word, 0]))),
    "largest_difference_shares": ("output against the sum of shares",
                                  lambda v: gap(v, what_if.sum_of_shares(v.walk), v.trace.output)),
    "identity_gap": ("W_O = I: output against concat", lambda v: gap(v, what_if.unmixed(v.walk), v.trace.concat)),
    "heads_apart": ("largest difference between two heads about the word",
                    lambda v: digits(float(np.ptp(v.trace.heads[:, v.walk.word], axis=0).max()))),
    "head_off_change": ("the head switched off: how far the word's output moves",
                        lambda v: gap(v, what_if.without_head(v.walk)[v.walk.word], v.trace.output[v.walk.word])),
    "backwards_gap": ("the sentence backwards: how far any output moves",
                      lambda v: gap(v, *what_if.outputs_backwards(v.walk))),
}
STORIES: dict[str, Live] = {
    "story_sentence": ("", lambda v: STORY),
    "story_n": ("its words and signs", lambda v: str(len(tokenize(STORY)))),
    "story_d_model": ("", lambda v: str(STORY_D_MODEL)),
    "story_h": ("", lambda v: str(STORY_H)),
    "story_d_k": ("", lambda v: str(head_width(STORY_D_MODEL, STORY_H))),
    "story_root": ("√d_k", lambda v: f"{sqrt(head_width(STORY_D_MODEL, STORY_H)):g}"),
    "story_shape_X": ("of X, Concat and output", lambda v: shape(len(tokenize(STORY)), STORY_D_MODEL)),
    "story_shape_Q": ("of Q, K, V and a head",
                      lambda v: shape(len(tokenize(STORY)), head_width(STORY_D_MODEL, STORY_H))),
    "story_shape_scores": ("", lambda v: shape(*2 * (len(tokenize(STORY)),))),
    "story_lead": ("how far “team” scores above the other words", lambda v: digits(STORY_LEAD)),
    "story_percent": ("what softmax then gives it", lambda v: percent(
        softmax(np.array([[STORY_LEAD] + [0.0] * (len(tokenize(STORY)) - 1)]))[0, 0])),
    "bert_d_k": ("768 numbers, 12 heads", lambda v: str(head_width(768, 12))),
    "bert_wide": ("12 heads side by side", lambda v: str(12 * head_width(768, 12))),
    "example_scaled": ("a score of 40 with d_k = 64",
                       lambda v: digits(float(scale(np.array([[40.0]]), sqrt(64))[0, 0]))),
    "example_blend": ("weights 0.6, 0.3, 0.1 on the values 10, 20, 30", lambda v: digits(
        float(blend(np.array([[0.6, 0.3, 0.1]]), np.array([[10.0], [20.0], [30.0]]))[0, 0]))),
}
NAMES: dict[str, Live] = SENTENCE | SIZES | STEPS_1_TO_3 | STEP_4 | STEP_5 | STEP_6 | STEP_7 | STORIES
SAID = {  # said with their verb, since a 0 is said in other words
    "twice_same": "differ", "negative_gap": "move", "copied_gap": "differs", "head_alone_gap": "move", "shared_gap": "differ",
    "largest_difference_shares": "differ",
}  # fmt: skip
NAMES |= {
    name: (NAMES[name][0], lambda v, gap=NAMES[name][1], verb=verb: phrases.at_most(v, verb, gap(v))) for name, verb in SAID.items()
}
