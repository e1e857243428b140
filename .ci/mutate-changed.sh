#!/usr/bin/env bash
# Mutates the lines of src/domain that the last commit added, and checks whether the tests of the domain fail.
#
#   mutate-changed.sh [COMMIT]   the lines that were added since this commit (default: HEAD~1)
#
# The number of lines is limited, so that a run takes minutes. Omitted lines are printed. `npm run mutate` mutates all lines.
set -uo pipefail
cd "$(dirname "$0")/.."
since=${1:-HEAD~1}
most=100
if ! git rev-parse --verify --quiet "$since^{commit}" >/dev/null; then
  echo "The commit $since does not exist here, so no line is mutated."
  exit 0
fi

# Prints FILE:FIRST-LAST of the added lines, and the omitted lines after "left out".
changed() {
  git diff --unified=0 --diff-filter=AM "$since" -- src/domain | awk -v most="$most" '
    /^\+\+\+ b\// { file = substr($2, 3) }
    /^@@/ {
      split(substr($3, 2), place, ","); first = place[1]; count = place[2] == "" ? 1 : place[2]
      if (count == 0) next
      total += count
      print (total > most ? "left out: " : "") file ":" first "-" first + count - 1
    }'
}

lines=$(changed)
grep '^left out' <<<"$lines"
places=$(grep -v '^left out' <<<"$lines" | paste -sd,)
if [ -z "$places" ]; then
  echo "No line is mutated: since $since, no line or too many lines of src/domain were added."
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
PROPERTY_RUNS=100 npx stryker run .ci/stryker-changed.mjs --mutate "$places" | tee "$log" && exit
# Stryker refuses lines that no test runs. Types and comments have no mutants, so no test can run them.
grep -q 'with 0 mutant(s)' "$log" && echo "The added lines have no mutants."
