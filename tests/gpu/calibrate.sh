#!/usr/bin/env bash
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: calibrate.sh OUT_DIR
# Counts requests and sectors of each case of calibration.cu on the GPU of this machine by Nsight Compute and writes
# OUT_DIR/calibration.json, which is meant for tests/golden. Needs nvcc, ncu, nvidia-smi, python3; takes about a minute.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
if [[ $# != 1 || $1 == -* ]]; then
  echo 'usage: calibrate.sh OUT_DIR' >&2
  exit 2
fi
for program in nvcc ncu nvidia-smi python3; do
  command -v "$program" >/dev/null || {
    echo "calibrate.sh: $program is not in PATH" >&2
    exit 1
  }
done
mkdir -p -- "$1"
out=$(cd -- "$1" && pwd -P)
export LC_ALL=C  # counts are written as 1,024

flags=(-std=c++20 -arch=sm_90 -O3)
build=$(mktemp -d)
trap 'rm -rf -- "$build"' EXIT
nvcc "${flags[@]}" "$here/calibration.cu" -o "$build/calibration"
"$build/calibration" --list >"$out/cases.txt"
timeout 60 "$build/calibration"

# A profiler that does not know a metric ends before the first kernel: then only those are asked for that are needed.
for wanted in --all-metrics --metrics; do
  metrics=$(python3 "$here/calibration_table.py" "$wanted")
  profile=(ncu --clock-control none --print-units base --csv --page raw --metrics "$metrics")
  rm -f -- "$out/counters.csv"
  status=0
  timeout 240 "${profile[@]}" --log-file "$out/counters.csv" "$build/calibration" >"$out/profile.log" 2>&1 || status=$?
  [[ $status == 0 ]] && grep -q '^"ID"' "$out/counters.csv" && break
  tail -n 3 -- "$out/profile.log" "$out/counters.csv" >&2 || true
  echo "calibrate.sh: ncu did not count (exit code $status)" >&2
  [[ $wanted == --all-metrics && $status != 124 ]] || exit 1
  echo 'calibrate.sh: again, with the necessary metrics only' >&2
done

query() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
release=$(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
python3 "$here/calibration_table.py" \
  --cases "$out/cases.txt" --counters "$out/counters.csv" --output "$out/calibration.json" \
  --device "$(query name) (sm_$(query compute_cap | tr -d .))" --driver "$(query driver_version)" \
  --date "$(date -u +%F)" --compile "nvcc $release ${flags[*]} calibration.cu -o calibration" \
  --command "${profile[*]} ./calibration"
