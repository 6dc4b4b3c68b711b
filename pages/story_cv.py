"""Story: one biography, read for two jobs, beside the steps it mirrors."""

from mha_core.hand_built import HAND_BUILT
from walkthrough import frame, stories, story_rows
from walkthrough.figures.bars import divisors
from walkthrough.frame import tables
from walkthrough.lesson import text

LED = HAND_BUILT["led a team"]
walk = frame.walk()
page = frame.Page("story_cv")
page.say("what", "why")
tables.steps_of_story(page)
page.say("picture")
seed = walk.settings.seed
tokens = LED.tokens
word = tables.pick("cv_word", range(len(tokens)), text("label_cv_word"), lambda i: text("told_option_place", place=i + 1, word=tokens[i]), 1)
head = tables.pick("cv_head", range(8), text("label_cv_head"), lambda i: str(i + 1))
jobs = [stories.looking(job, word, head) for job in stories.two_jobs(seed)]
rows = story_rows.job_rows(*jobs)
values = story_rows.top_values(rows, tokens) | {"asking": tokens[word], "asking_head": str(head + 1)}
page.caption("picture_row", values=values)
frame.drawing(lambda palette: divisors(rows, tokens, palette, word), story_rows.describe_rows(rows, tokens))
says = text("origin_two_jobs", seed=seed, other=seed + stories.OTHER_JOB)
page.caption("picture_jobs")
job = frame.choose("job", (1, 2), text("label_job"))
tables.told_sheet("weights × V = heads", of=jobs[job - 1], key=f"job_{job}", origin=says, fold=4)
page.caption("picture_apart")
tables.table([text("col_grid"), text("col_apart"), text("col_verdict")], story_rows.apart_rows(stories.apart(*jobs)), text("table_caption_apart"))
led = stories.walk_from(LED, 1, 0, text("origin_hand_built"))
page.say("picture_led", values=story_rows.meeting_values(led, LED))
tables.remark(LED.says[0])
tables.told_sheet("weights × V = heads", of=led, key="led", origin=text("origin_hand_built"))
page.edges()
