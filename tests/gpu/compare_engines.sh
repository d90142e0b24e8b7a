#!/usr/bin/env bash
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# compare_engines.sh HOST_PROGRAM CUDA_PROGRAM FOLDER [--tools 'A B'] [--same-output] [option of compare_reports.py...]
#
# Two builds of one program that checks its own result and prints OK: for the host engine, and for the GPU. Runs the
# GPU's without a tool, then both under each tool (access_count and coalescing), and compares their reports, which are
# kept in FOLDER. With --same-output the program ends with 0 and prints what it likes, but the same on both engines.
# Exit code: 0 equal; 1 a program failed, or they differ; 2 wrong arguments.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

(($# >= 3)) || {
  echo "usage: compare_engines.sh HOST_PROGRAM CUDA_PROGRAM FOLDER [--tools 'A B'] [--same-output]" \
    '[option of compare_reports.py...]' >&2
  exit 2
}
host=$1 cuda=$2 folder=$3
shift 3
tools=(access_count coalescing) same_output=no
while (($#)); do
  case $1 in
    --tools)
      read -ra tools <<<"${2-}"
      shift 2
      ;;
    --same-output)
      same_output=yes
      shift
      ;;
    *) break ;;
  esac
done
mkdir -p -- "$folder"
export PASTA_QUIET=1

# run_program PROGRAM TOOL REPORT EXPECTED: TOOL and REPORT are "" for a run without a tool. Sets `printed`.
run_program() {
  local status=0 what=$1${2:+ under $2}
  [[ ! $3 ]] || rm -f -- "$3"
  printed=$(PASTA_TOOLS=$2 PASTA_OUTPUT=$3 timeout --kill-after=5 30 "$1" 2>&1) || status=$?
  if ((status != 0)) || [[ $4 && $printed != "$4" ]]; then
    printf '%s: exit code %s; %s was expected, it printed:\n%s\n' "$what" "$status" "${4:-0}" "$printed"
    exit 1
  fi
  if [[ $3 && ! -s $3 ]]; then
    printf '%s: no report\n' "$what"
    exit 1
  fi
}

# run_both TOOL HOST_REPORT CUDA_REPORT
run_both() {
  local expected=OK
  [[ $same_output == no ]] || expected=
  run_program "$host" "$1" "$2" "$expected"
  [[ $same_output == no ]] || expected=$printed
  run_program "$cuda" "$1" "$3" "$expected"
}

failed=0
if [[ $same_output == yes ]]; then
  run_both '' '' ''
  echo '1 checks'
else
  run_program "$cuda" '' '' OK
fi
for tool in "${tools[@]}"; do
  run_both "$tool" "$folder/$tool.host.json" "$folder/$tool.cuda.json"
  "$here/compare_reports.py" "$folder/$tool.host.json" "$folder/$tool.cuda.json" "$@" || failed=1
done
exit "$failed"
