#!/usr/bin/env bash
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# compare_engines.sh HOST_PROGRAM CUDA_PROGRAM FOLDER [option of compare_reports.py...]
#
# Two builds of one program that checks its own result and prints OK: for the host engine, and for the GPU. Runs the
# GPU's without a tool, then both under each tool, and compares their reports, which are kept in FOLDER.
# Exit code: 0 equal; 1 a program failed, or they differ; 2 wrong arguments.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

(($# >= 3)) || {
  echo 'usage: compare_engines.sh HOST_PROGRAM CUDA_PROGRAM FOLDER [option of compare_reports.py...]' >&2
  exit 2
}
host=$1 cuda=$2 folder=$3
shift 3
mkdir -p -- "$folder"
export PASTA_QUIET=1

# run_program PROGRAM TOOL REPORT: TOOL and REPORT are "" for a run without a tool.
run_program() {
  local printed status=0 what=$1${2:+ under $2}
  [[ ! $3 ]] || rm -f -- "$3"
  printed=$(PASTA_TOOLS=$2 PASTA_OUTPUT=$3 timeout --kill-after=5 30 "$1" 2>&1) || status=$?
  if ((status != 0)) || [[ $printed != OK ]]; then
    printf '%s: exit code %s; OK was expected, it printed:\n%s\n' "$what" "$status" "$printed"
    exit 1
  fi
  if [[ $3 && ! -s $3 ]]; then
    printf '%s: no report\n' "$what"
    exit 1
  fi
}

run_program "$cuda" '' ''
failed=0
for tool in access_count coalescing; do
  run_program "$host" "$tool" "$folder/$tool.host.json"
  run_program "$cuda" "$tool" "$folder/$tool.cuda.json"
  "$here/compare_reports.py" "$folder/$tool.host.json" "$folder/$tool.cuda.json" "$@" || failed=1
done
exit "$failed"
