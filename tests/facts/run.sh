#!/bin/sh
# Do the facts the pass finds equal those written beside the lines?  TAP, one test per function.
#
#	tests/facts/run.sh PASS.so CLANG OPT [FILE.c...]
#
# A comment beginning with `=' gives all facts of its line, `O0=' and `O2=' those without and
# with optimisation; a line without one must have none.  Facts are separated by `;', each
#
#	KIND VARIABLE free|binding|unfed|fed:LINES|copy|opaque|fence
#
# as the pass writes them (doc/DEPENDENCY_FACTS.md), except that lines are relative to their own:
# fed:0 is fed by a load of the same line, fed:-2 by one two lines above.
export CCACHE_DISABLE=1 # the facts are no part of what a cache keeps
pass=$1 clang=$2 opt=$3
shift 3
here=$(dirname "$0")
[ $# -gt 0 ] || set -- "$here"/*.c "$here"/*.cc
case $opt in -O0) level=O0 ;; *) level=O2 ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM

for file; do
	: >"$work/facts"
	if ! FORESEE_FACTS=$work/facts "$clang" -g "$opt" -fno-vectorize -fno-slp-vectorize \
		-fno-unroll-loops -mcx16 -w -fpass-plugin="$pass" -c "$file" -o "$work/out.o" 2>"$work/errors"; then
		echo "failed $(basename "$file")"
		sed 's/^/# /' "$work/errors"
		continue
	fi
	awk -v level=$level -v file="$(basename "$file")" -f "$here/compare.awk" "$work/facts" "$file"
done | awk '
	/^#/ { print; next }
	{ n++; print ($1 == "same" ? "ok " : "not ok ") n " - " $2; bad += $1 != "same" }
	END { print "1.." n; exit bad > 0 }'
