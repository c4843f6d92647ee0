#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each (default 2m) and
# fails if one fails or hardly ran at all.
set -euo pipefail
time=${1:-2m}
cd "$(dirname "$0")/.."
status=0
for file in $(git ls-files --cached --others --exclude-standard '*_test.go' | xargs grep -l '^func Fuzz' | sort); do
  for target in $(grep -o '^func Fuzz[A-Za-z0-9_]*' "$file" | awk '{print $2}'); do
    log=$(mktemp)
    printf '%-24s %s ' "$target" "$(dirname "$file")"
    if ! go test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1x >"$log" 2>&1; then
      # Go's fuzzer may report its own deadline as a failure; a real one names an input.
      if grep -q 'Failing input\|panic' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
        echo FAILED; cat "$log"; status=1; rm "$log"; continue
      fi
    fi
    runs=$(grep -o 'execs: [0-9]*' "$log" | tail -1 | awk '{print $2}')
    echo "${runs:-0} runs, clean"
    if [ "${runs:-0}" -lt 200 ]; then echo "  that is too few to mean anything"; status=1; fi
    rm "$log"
  done
done
exit $status
