#!/usr/bin/env bash
# Replays of a program whose output is no text for a terminal, and of a write that changes nothing of what a
# larger read sees.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

foresee-cc -g -O1 -pthread "$SRC/tests/programs/replay/bytes.c" -o bytes || exit 2
foresee record -q -o bytes.foresee ./bytes >/dev/null || exit 2
run timeout 60 foresee replay bytes.foresee 1
is "$status" 0 "replayed"
has out '^  the write changes nothing here: it writes what is there$' "the write changes nothing"
has out '^      \| a\?b\?\[2Jc\?7$' "no control characters"
has out '^      \| x{200}\.\.\.$' "no endless lines"
has out '^  no difference seen: either way' "and both orders end alike"
done_testing
