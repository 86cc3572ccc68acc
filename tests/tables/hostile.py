"""Names that attack whoever renders a table of them, and a table that has each in every place."""

from sklearn_rank.tables.table import Column, Table, interval_cell, number_cell, text_cell

HOSTILE = {
    "esc": "\x1b[31mred\x1b[2J",
    "cr": "0.12 FAIL\r0.99 PASS",
    "newline": "a\n\n| forged | row |\n\\\\ forged & row",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "zero width": "a\u200bb\ufeff\u2028c\u2029",
    "script": "</script><script>alert(1)</script><!--",
    "attribute": "\"' onmouseover='alert(1)' x=\"",
    "entity": "&lt;b&gt; &amp;amp; &#60;",
    "image": "![x](http://evil/x.png) [y](http://evil) <img src=x onerror=alert(1)>",
    "emphasis": "**bold** _under_ __init__ ~~gone~~ `code` ``more``",
    "mention": "@everyone #1 :tada: www.evil.example me@evil.example $x^2$",
    "pipe": "a|b||c\\|d\\",
    "commands": r"\input{/etc/passwd}\write18{rm} \\ \hline \end{tabular} ^^5cinput",
    "specials": "# $ % & ~ _ ^ { } \\ | < > \" ' ` - -- --- ,, '' `` !` ?` << >> [x] *",
    "bracket": "[optional]",
    "star": "* starred",
    "formula": '=HYPERLINK("http://evil")',
    "tag": "\U000e0041\U0010ffff",
    "surrogate": "lone\ud800",
    "empty": "",
    "long": "L" * 500,
}


def table_of(text: str) -> Table:
    """A table with the text as title, cell and note."""
    columns = (Column(text), Column("value", "number"), Column(text, "number"))
    row = (text_cell(text), number_cell(-0.25, best=True), interval_cell(-1, 1))
    other = (text_cell("other"), number_cell(0.5), interval_cell(None, None))
    return Table(columns, (row, other), notes=(text, text))
