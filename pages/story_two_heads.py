"""Story: two heads built by hand read the same word in two ways; the trained heads that come nearest stand beside them."""

from mha_core.hand_built import HAND_BUILT
from walkthrough import frame, stories, story_rows
from walkthrough.figures.bars import divisors
from walkthrough.frame import tables
from walkthrough.lesson import text

BUILT = HAND_BUILT["two views"]
tokens, origin = BUILT.tokens, text("origin_hand_built")
she = stories.walk_from(BUILT, 0, 0, origin)
values = story_rows.meeting_values(she, BUILT)
frame.walk()
page = frame.Page("story_two_heads")
page.say("what", "why")
tables.table([text("col_word"), text("col_made_of")], story_rows.word_rows(BUILT), text("table_caption_words"))
word = tables.pick("two_word", range(len(tokens)), text("label_cv_word"), lambda i: tokens[i])
for head, section in enumerate(("picture_role", "picture_quality")):
    page.say(section, values=values)
    tables.remark(BUILT.says[head])
    caption = text("table_caption_plan", head=head + 1, title=BUILT.titles[head])
    tables.table([text(f"col_{name}") for name in ("question", "asked_by", "answered_by")], story_rows.plan_rows(BUILT, head), caption)
    walk = stories.walk_from(BUILT, word, head, origin)
    tables.told_sheet("Q · K.T = scores", "weights × V = heads", of=walk, key=f"two_{head}", origin=origin)
walk = stories.walk_from(BUILT, word, 0, origin)
page.say("picture", values=values)
tables.told_sheet("heads[all] ⇒ concat", "concat × W_O = output", of=walk, key="two_mixed", origin=origin)
heads = [text("col_from_head", head=head + 1) for head in (0, 1)]
tables.table(
    [text("col_feature"), text("col_before"), *heads, text("col_after")], story_rows.feature_rows(walk, BUILT),
    text("table_caption_features", word=tokens[word]),
)
page.say("picture_trained")
pairs, reason = stories.neighbours_or_reason(BUILT.sentence, tuple((tokens[m.query], tokens[m.key]) for m in BUILT.meetings))
if reason:
    tables.note(reason)
else:
    tables.table(
        [text("col_pair"), text("col_which"), text("col_weight")], story_rows.neighbour_rows(pairs, she, BUILT), text("table_caption_neighbours")
    )
    near = [found[0] for found in pairs]
    rows = {story_rows.neighbour_name(one): one.row for one in near}
    page.caption("picture_near")
    frame.drawing(lambda palette: divisors(rows, near[0].tokens, palette, near[0].query), story_rows.describe_rows(rows, near[0].tokens))
    tables.told_origin(text("origin_neighbours", model=stories.MODEL))
page.edges()
tables.step_link("step_6_heads")
