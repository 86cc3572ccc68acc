"""Ask programs the given problems and write their answers into docs/_presets.json.

``python -m tests.peers PROGRAM=PYTHON ...`` asks tests/peers/programs.py by the Python of an
environment that has the program; what others answered before stays. ``PROGRAM=FILE.json`` takes
answers in that form from a file: programs that are in no package index, such as trec_eval, are
asked elsewhere.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.peers.problems import digest, problems

HERE = Path(__file__).parent
RECORD = HERE.parents[1] / "docs" / "_presets.json"


def answers(program: str, source: str) -> dict[str, Any]:
    """What a program answered, asked now or read from a file."""
    if source.endswith(".json"):
        text = Path(source).read_text(encoding="utf-8")
    else:
        command = [source, str(HERE / "programs.py"), program]
        given = json.dumps(problems())
        text = subprocess.run(
            command, input=given, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    found = json.loads(text)
    return {key: found[key] for key in ("version", "call", "names", "values")}


def main(arguments: list[str]) -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    programs = record.get("programs", {}) if record.get("problems") == digest() else {}
    for argument in arguments:
        program, _, source = argument.partition("=")
        programs[program] = answers(program, source)
    lines = [
        f"  {json.dumps(program)}: {json.dumps(programs[program], separators=(',', ':'))}"
        for program in sorted(programs)
    ]
    inner = ",\n".join(lines)
    text = f'{{"problems": "{digest()}", "programs": {{\n{inner}\n}}}}\n'
    RECORD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
