"""Text, warnings, checks and array tools, for both packages; nothing about ranking."""
