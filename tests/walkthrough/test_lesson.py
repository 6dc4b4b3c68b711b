"""The prose is whole, says only what it can fill, and never lets a sentence turn into markup."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

from walkthrough.lesson import LESSONS, Section, counted, formula_to_html, load, text, to_html
from walkthrough.numbers import NAMES, numbers
from walkthrough.settings import Settings, correct, from_query
from walkthrough.walk import walk_of

ROOT = Path(__file__).resolve().parents[2]
EVERY_PAGE = sorted(file.stem for file in (LESSONS / "en").glob("*.md"))
# The pages beside the walk bring values of their own; that every one of theirs is filled shows when the page itself runs.
PAGES = [page for page in EVERY_PAGE if page.startswith(("step_", "start", "whole_picture", "contents"))]
STEPS = [page for page in PAGES if page.startswith("step_")]
IN_EVERY_STEP = ("what", "why", "picture", "edges", "story", "more", "check", "check_answer")
SENTENCES = ("the cat sat", "hello", "the dog saw the other dog", "I led a team that built a scalable API.", "我爱你")
HOSTILE = (
    "<script>alert(1)</script>", "$x$ *stars* :smile: {{word}} {{d_k}}",
    "[query]{.query} &amp; <b> `a` \\ # _x_", "א&ב \u202e'x'",
)


def walk(**fields):
    return walk_of(correct(Settings(**fields))[0])


def many_walks():
    yield walk(d_model=512, h=8, sentence=SENTENCES[3], word=7, head=8)
    yield walk(d_model=48, h=48, sentence=SENTENCES[2], word=4, head=30)
    sizes = ((4, 1, "sqrt"), (6, 3, "none"), (8, 8, "d_k"))
    for sentence, (d_model, h, divisor), mask in product(SENTENCES, sizes, ("none", "causal")):
        positions = divisor != "none"
        fields = dict(sentence=sentence, d_model=d_model, h=h, divisor=divisor, mask=mask, positions=positions)
        yield walk(**fields, word=2, head=h)


def sections(page: str) -> list[Section]:
    lesson = load(page)
    return [lesson.headline, *lesson.sections.values()]


class Tags(HTMLParser):
    """Collects tags and text, and fails where tags do not close in order."""

    def __init__(self, html: str):
        super().__init__(convert_charrefs=True)
        self.open, self.seen, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.seen.append((tag, dict(attributes).get("class")))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_there_is_a_lesson_for_every_page_of_the_walk():
    assert len(STEPS) == 7
    assert {"start", "whole_picture"} <= set(PAGES)
    assert [load(page).headline.html.count("?") for page in PAGES] == [1] * len(PAGES)  # one question each
    assert all(load(page).headline for page in EVERY_PAGE)


@pytest.mark.parametrize("page", STEPS)
def test_every_step_has_its_sections(page):
    assert [name for name in IN_EVERY_STEP if name not in load(page).sections] == []


@pytest.mark.parametrize("page", PAGES)
def test_edge_cases_have_a_plain_heading_and_one_to_three_sentences(page):
    for part in load(page).sections["edges"].parts if "edges" in load(page).sections else ():
        assert not re.search(r"[{}$*<]", part.name)
        sentences = re.findall(r"[.?](?= |$)", part.plain({name: "1" for name in NAMES}))
        assert 1 <= len(sentences) <= 3, (page, part.name)


@pytest.mark.parametrize("page", PAGES)
def test_placeholders_are_known_and_no_sign_is_left_over(page):
    for section in sections(page):
        assert section.placeholders <= set(NAMES), section.placeholders - set(NAMES)
        shown = Tags(section.fill({name: "1" for name in NAMES}))
        assert not re.search(r"[{}$]|\]\(|\*|—", shown.text), section
        assert {tag for tag, _ in shown.seen} <= set("p h3 em strong ol ul li i sub sup bdi span".split())


def test_every_section_can_be_filled_for_many_settings_and_stays_short():
    for found in many_walks():
        live = numbers(found)
        for page in PAGES:
            for section in sections(page):
                Tags(section.fill(live))
        for page in STEPS:
            prose = load(page).sections["what"].plain(live) + " " + load(page).sections["why"].plain(live)
            assert len(prose.split()) <= 95, (page, len(prose.split()), found.settings)


@pytest.mark.parametrize("sentence", HOSTILE)
def test_what_was_typed_is_shown_as_it_was_typed(sentence):
    found = walk(sentence=sentence, word=1)
    live = numbers(found)
    seen = lambda tags: [tag for tag in tags.seen if tag != ("bdi", None)]  # noqa: E731  each quoted word has one of its own
    plain_tags = {page: [seen(Tags(section.fill(numbers(walk())))) for section in sections(page)] for page in PAGES}
    for page in PAGES:
        shown = [Tags(section.fill(live)) for section in sections(page)]
        assert [seen(tags) for tags in shown] == plain_tags[page]  # no tag came from the sentence, and none got lost
        for section, tags in zip(sections(page), shown):
            for name in section.placeholders:
                assert live[name] in tags.text
    assert f"“{found.tokens[0]}”" in Tags(load("step_3_scores").headline.fill(live)).text
    assert sentence in Tags(load("start").headline.fill(live)).text
    assert load("start").headline.plain(live) == f"What do the words of “{sentence}” tell each other?"


def test_a_live_value_is_escaped_and_never_filled_twice():
    section = Section("what", to_html("a {{x}} b {{y}}"), "f.md")
    html = section.fill({"x": "{{y}} <i>", "y": "&amp;"})
    assert html == '<p>a <bdi class="live">{{y}} &lt;i&gt;</bdi> b <bdi class="live">&amp;amp;</bdi></p>\n'
    assert section.plain({"x": "{{y}} <i>", "y": "&amp;"}) == "a {{y}} <i> b &amp;"


def test_quotation_marks_stay_outside_words_that_run_from_right_to_left():
    section = Section("what", "<p>so {{named}} and {{two}}</p>", "x.md")
    html = section.fill({"named": "“עולם”", "two": "“a<b” 3%, “שלום” 4%"})
    assert html == (
        '<p>so <bdi class="live" dir="ltr">“<bdi>עולם</bdi>”</bdi> and '
        '<bdi class="live" dir="ltr">“<bdi>a&lt;b</bdi>” 3%, “<bdi>שלום</bdi>” 4%</bdi></p>'
    )


def test_signs_become_html():
    assert to_html("[key]{.key} and [$W^Q$]{.query}", inline=True) == (
        '<span class="role-key">key</span> and '
        '<span class="role-query"><span class="formula"><i>W</i><sup><i>Q</i></sup></span></span>'
    )
    assert formula_to_html("QK^T / √d_k") == "<i>QK</i><sup><i>T</i></sup> / √<i>d</i><sub><i>k</i></sub>"
    assert formula_to_html("d_{model} < 10^{2i/{{d_k}}}") == (
        "<i>d</i><sub>model</sub> &lt; 10<sup>2<i>i</i>/{{d_k}}</sup>"
    )
    assert "&lt;script&gt;" in to_html("<script>") and "<b" not in to_html("<b>x</b>")
    assert Section("what", to_html("$W^Q$ and $d_k$"), "f.md").plain({}) == "W^Q and d_k"


def test_mistakes_in_a_lesson_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr("walkthrough.lesson.LESSONS", tmp_path)
    (tmp_path / "en").mkdir()
    bad = {
        "section": ("# Q?\n\n## wat\n\nx", "unknown section 'wat'"),
        "role": ("# Q?\n\n## what\n\n[x]{.colour}", "roles are"),
        "stray": ("# Q?\n\n## what\n\n{{two words}}", "stray"),
        "twice": ("# Q?\n\n## what\n\nx\n\n## what\n\ny", "twice"),
        "headless": ("## what\n\nx", "headline"),
    }
    for page, (source, says) in bad.items():
        (tmp_path / "en" / f"{page}.md").write_text(source, encoding="utf-8")
        with pytest.raises(ValueError, match=says):
            load(page)


def test_what_is_missing_is_named():
    with pytest.raises(KeyError, match=r"en/step_3_scores\.md.*\{\{word\}\}"):
        load("step_3_scores").headline.fill({})
    with pytest.raises(KeyError, match="no section 'nope'"):
        load("start").sections["nope"]
    with pytest.raises(ValueError, match="no lesson 'nope'"):
        load("nope")
    with pytest.raises(KeyError, match="nope"):
        text("nope")
    with pytest.raises(KeyError, match=r"note_head.*\{\{asked\}\}"):
        text("note_head")
    with pytest.raises(KeyError, match="nope"):
        numbers(walk())["nope"]


@pytest.mark.parametrize("language", ["xx", "", "..", "../en", "en/../en", "/etc"])
def test_an_unknown_language_falls_back_to_english(language):
    assert load("start", language).headline == load("start").headline
    assert text("nav_start", language) == text("nav_start")
    assert numbers(walk(), language)["h_heads"] == "2 heads"


def test_a_language_may_be_translated_in_part(tmp_path, monkeypatch):
    for language, page in (("en", "# Hello?\n\n## what\n\nyes"), ("de", "# Hallo?\n\n## what\n\nja")):
        (tmp_path / language).mkdir()
        (tmp_path / language / "greeting.md").write_text(page, encoding="utf-8")
    (tmp_path / "de" / "catalogue.toml").write_text('a_greeting = "hallo {{name}}"\n', encoding="utf-8")
    (tmp_path / "en" / "catalogue.toml").write_text('a_greeting = "hello"\nonly_english = "yes"\n', encoding="utf-8")
    monkeypatch.setattr("walkthrough.lesson.LESSONS", tmp_path)
    _forget()
    try:
        assert load("greeting", "de").headline.html == "Hallo?"
        assert text("a_greeting", "de", name="{{name}}") == "hallo {{name}}"
        assert text("only_english", "de") == "yes"
    finally:
        _forget()


def _forget():
    from walkthrough import lesson

    lesson.load.cache_clear()
    lesson._catalogue.cache_clear()


# ---- the catalogue ---------------------------------------------------------------------------------------------
def test_the_catalogue_is_plain_text_and_its_counts_come_in_pairs():
    import tomllib

    words = tomllib.loads((LESSONS / "en" / "catalogue.toml").read_text(encoding="utf-8"))
    assert all(isinstance(value, str) and value.strip() == value != "" for value in words.values())
    ones = {key.removesuffix("_one") for key in words if key.endswith("_one")} - {"mutual", "cut_early"}
    assert all(f"{key}_many" in words for key in ones)
    assert counted("heads", 1) == "1 head" and counted("heads", 5) == "5 heads"


def test_every_page_has_a_short_name_and_a_title():
    assert all(text(f"nav_{page.stem}") and text(f"title_{page.stem}") for page in (ROOT / "pages").glob("*.py"))


def test_keys_written_in_the_code_are_in_the_catalogue():
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py"), *(ROOT / "walkthrough").rglob("*.py")]
    asked = {(key, file.name) for file in files for key in re.findall(r'\btext\("(\w+)"', file.read_text("utf-8"))}
    assert {key for key, _ in asked} >= {"nav_begin", "app_title"}
    for key, file in asked:
        try:
            text(key)
        except KeyError as missing:
            assert "no value" in str(missing), f"{file} asks for {key}"


def test_every_correction_can_be_said():
    query = {
        "d_model": "9", "h": "7", "word": "99", "head": "99", "seed": "-5", "layer": "77", "mask": "x",
        "positions": "maybe", "sentence": "a " * 200,
    }
    notes = from_query(query)[1] + from_query({"sentence": " "})[1]
    kinds = ("d_model", "h", "word", "empty", "long", "unreadable")
    assert {note.key for note in notes} >= {f"note_{kind}" for kind in kinds}
    for note in notes:
        assert "{{" not in text(note.key, **note.values)


# ---- own words -------------------------------------------------------------------------------------------------
def test_the_words_are_our_own():
    tool = ROOT.parent / "shared" / "tools" / "own_words.py"
    if not tool.exists():
        return  # the comparison needs the source documents, which are not part of this project
    found = subprocess.run([sys.executable, tool, ROOT], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
