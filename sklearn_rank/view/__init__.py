"""What is shown: pictures, reports in one HTML file, and the words of verdicts.

A page needs no network and no framework.
"""
