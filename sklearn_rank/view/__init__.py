"""What is shown: pictures, reports in one HTML file, and the words of verdicts.

Pages need no network and no framework.
"""
