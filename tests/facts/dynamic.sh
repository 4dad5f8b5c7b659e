#!/bin/sh
# Do the facts hold when the code runs?  dynamic/hooks.c says how.  TAP, a test per file and level.
#
#	tests/facts/dynamic.sh PASS.so CLANG [FILE.c...]
#
# Without files: those of this directory, and random functions; SEED=N for other ones.
pass=$1 clang=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
seed=${SEED:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM

if [ $# -eq 0 ]; then
	for i in 0 1; do
		awk -v seed=$((2 * seed + i)) -v count=40 -f "$here/dynamic/random.awk" >"$work/random$i.c"
	done
	set -- "$here"/*.c "$work"/random?.c
fi
"$clang" -O1 -w -I"$here/dynamic" -I"$here/../../src" -c "$here/dynamic/hooks.c" -o "$work/hooks.o" || exit 2

for file; do
	awk -f "$here/dynamic/table.awk" "$file" >"$work/table.c"
	for level in -O0 -O1 -O2 -O3; do
		name="$(basename "$file") $level"
		if "$clang" -g $level -fwrapv -mcx16 -w -fpass-plugin="$pass" -c "$file" -o "$work/subject.o" \
			>"$work/out" 2>&1 &&
			"$clang" -w -I"$here/dynamic" "$work/hooks.o" "$work/subject.o" "$work/table.c" \
				-o "$work/run" -lm >"$work/out" 2>&1 &&
			timeout 20 "$work/run" >"$work/out" 2>&1; then
			echo "same $name"
		else
			echo "differs $name"
		fi
		sed 's/^#* */# /' "$work/out"
	done
done | awk '
	/^#/ { print; next }
	{ n++; sub(/^same /, "ok " n " - ") || sub(/^differs /, "not ok " n " - "); print
	  bad += /^not/ }
	END { print "1.." n; exit bad > 0 }'
