#!/usr/bin/env bash
# ./worth.sh DEVICE FILE [--quick]: makes the runs of worth.txt that FILE has no rows of, and prints their rows at the end
# of each; a run that fails stops no others. --quick: one epoch of the first run of each task.
set -uo pipefail
failed=0
runs=$(cat worth.txt) || exit
[ "${3:-}" != --quick ] || runs=$(head -n 2 <<<"$runs" | sed 's/--epochs [0-9]*/--epochs 1/')
while IFS=$'\t' read -r run options; do
  # The last row of a run has its memory: one that was cut off is made again.
  if grep -sF "{$run" "$2" | grep -qF peak_megabytes; then continue; fi
  read -ra options <<<"$options"
  if rows=$(./train "${options[@]}" --device "$1"); then sed "s/^{/{$run/" <<<"$rows"; else failed=1; fi
done <<<"$runs"
exit $failed
