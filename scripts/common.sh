# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What scripts/quickstart and scripts/check share. Sourced; expects `set -euo pipefail` and root, the source tree.

# say TEXT: one line of the script's own, told apart from what it runs.
say() { printf '== %s\n' "$*"; }

# fail STATUS TEXT
fail() {
  printf '%s: %s\n' "$(basename -- "$0")" "$2" >&2
  exit "$1"
}

# require_packages ENTRY...: installs the Debian packages that are missing, or says how to and ends with 125.
# An entry is a package, or package:command where the command may also come from elsewhere.
require_packages() {
  local entry package missing=()
  for entry in "$@"; do
    package=${entry%%:*}
    [[ $entry == *:* ]] && command -v "${entry##*:}" >/dev/null && continue
    command -v dpkg-query >/dev/null || continue # not Debian: CMake will say what it lacks
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local line=(apt-get install --yes --no-install-recommends "${missing[@]}")
  if ((EUID != 0)); then
    printf '%s: these packages are missing; install them and run this again:\n  sudo %s\n' \
      "$(basename -- "$0")" "${line[*]}" >&2
    exit 125
  fi
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive "${line[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail 125 "could not install; the command was: ${line[*]}"
  fi
  rm -f "$log"
}

# configure PRESET: runs CMake unless the build tree is there already, made from this source tree. A build tree looks after
# itself from then on.
configure() {
  local build="$root/build/$1" home=
  [[ -f $build/CMakeCache.txt ]] && home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  if [[ -f $build/build.ninja && $home == "$root" ]]; then return; fi
  say "configuring the preset $1"
  (cd "$root" && cmake --preset "$1" --fresh >/dev/null)
}

# build TREE [cmake --build arguments...]: progress on a terminal; in a pipe only what the compiler says.
build() {
  local quiet=(--quiet)
  [[ -t 1 ]] && quiet=()
  cmake --build "$1" --parallel "$(nproc)" "${@:2}" -- "${quiet[@]}"
}

# minutes SECONDS: 1 min 05 s
minutes() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }
