"""``sklearn-rank convert``"""
def add_parser(commands): pass
