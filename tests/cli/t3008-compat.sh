#!/usr/bin/env bash
# Recordings of earlier versions: read as they were then.
. "$(dirname "$0")/../lib.sh"

for trace in "$SRC"/tests/cases/compat/*.foresee; do
	version=$(basename "$trace" .foresee)
	is "$(od -An -tu4 -j8 -N4 "$trace" | tr -d ' ')" "$version" "version $version: is of that version"
	run foresee print --std "$trace"
	is "$status" 0 "version $version: is read"
	mv out text
	ok "version $version: as it was" cmp text "${trace%.foresee}.std"
done
done_testing
