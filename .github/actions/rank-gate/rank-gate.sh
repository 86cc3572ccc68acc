#!/usr/bin/env bash
# Installs sklearn-rank in an environment of its own and judges rankings by `sklearn-rank gate`.
# Inputs come as environment variables, so that no text of theirs is ever read as a command.
set -euo pipefail

command=sklearn-rank
if [ -n "${INPUT_PACKAGE:-}" ]; then
  environment=${RUNNER_TEMP:-$(mktemp -d)}/rank-gate
  python3 -m venv "$environment"
  package=$INPUT_PACKAGE
  if [ "$package" = own ]; then # the checkout that this action came with
    package="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)[polars]"
  fi
  "$environment/bin/pip" install --quiet "$package"
  command=$environment/bin/sklearn-rank
fi

# The files of one gate, then its options.
arguments=()
for file in "${INPUT_QRELS:-}" "${INPUT_RUN:-}"; do
  if [ -n "$file" ]; then arguments+=("$file"); fi
done

option() { # NAME VALUE: nothing for an empty value
  if [ -n "$2" ]; then arguments+=("$1=$2"); fi
}

options() { # NAME LINES: once for every line
  local line
  while IFS= read -r line; do
    line=${line#"${line%%[![:space:]]*}"}
    option "$1" "${line%"${line##*[![:space:]]}"}"
  done <<<"$2"
}

option --config "${INPUT_CONFIG:-}"
option --name "${INPUT_NAME:-}"
option --baseline-dir "${INPUT_BASELINE_DIR:-}"
options --at-least "${INPUT_AT_LEAST:-}"
options --max-drop "${INPUT_MAX_DROP:-}"
option --slices "${INPUT_SLICES:-}"
while IFS= read -r line; do
  case $line in
    "") ;;
    --*" "*) arguments+=("${line%%[[:space:]]*}" "${line#*[[:space:]]}") ;; # an option and its value
    *) arguments+=("$line") ;;
  esac
done <<<"${INPUT_ARGUMENTS:-}"
# The step summary is written by itself; a further file is for a comment on the pull request.
option --markdown "${INPUT_MARKDOWN:-}"

exec "$command" gate "${arguments[@]}"
