"""The pictures of the foundations: small, on real numbers, and moving under the hand. No Streamlit in here.

symbols.py says which symbol needs which; readings.py holds the numbers; pictures.py and reels.py write HTML; the
scripts beside them let hands drag, slide and press.
"""
