#!/usr/bin/env bash
# Changes src/domain in one place at a time where the last commit touched it, and sees whether the tests of the domain notice.
#
#   mutate-changed.sh [COMMIT]   what was touched since that commit; HEAD~1 is the default
#
# At most so many lines, so that it takes minutes; it says which it leaves out. `npm run mutate` does it to all.
set -uo pipefail
cd "$(dirname "$0")/.."
since=${1:-HEAD~1}
most=100
if ! git rev-parse --verify --quiet "$since^{commit}" >/dev/null; then
  echo "There is no $since here to compare with: nothing is mutated."
  exit 0
fi

# Prints FILE:FIRST-LAST of what was added, and behind "left out" what is too much.
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
  echo "No line of src/domain was added since $since, or too many at once: nothing is mutated."
  exit 0
fi
PROPERTY_RUNS=100 npx stryker run .ci/stryker-changed.mjs --mutate "$places"
