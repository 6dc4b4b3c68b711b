"""Everything there is, by group: from any page to any other in two clicks."""

from walkthrough import frame

frame.Page("contents").say("what")
frame.contents()
