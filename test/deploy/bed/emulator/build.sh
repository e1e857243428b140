#!/usr/bin/env bash
# Creates the Python environment of the AWS emulator in a cache folder that is named after the exact versions.
#
#   build.sh            creates the environment if it is missing; progress goes to stderr, and the path of its Python to stdout
#
# The cache is $LOOKOUT_TEST_BED, else lookout/test-bed in the user's cache folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

cache=${LOOKOUT_TEST_BED:-${XDG_CACHE_HOME:-$HOME/.cache}/lookout/test-bed}
versions=$(sha256sum "$here/requirements.txt" | cut -c 1-16)
folder=$cache/emulator-$versions
python=$folder/bin/python

if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder" >&2 ||
    { echo "build.sh: python3 can't make an environment; it needs Python 3.10 or newer with venv (Debian: python3-venv)" >&2; exit 1; }
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$here/requirements.txt" >&2
  touch "$folder/complete"
fi
echo "$python"
