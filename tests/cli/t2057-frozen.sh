#!/usr/bin/env bash
# Reads of variables that main sets before it makes a thread are not recorded, and all others are:
# those that somebody may write later, by whatever way, and those of a program that had a thread before
# main began.  Races with such writes are found as ever.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
here=$SRC/tests/programs/frozen

${CC:-cc} -O1 -c "$here/../order.c" -o order.o || exit 2

build() { # build MACRO
	FORESEE_LLVM=$llvm foresee-cc -w -g $level -fno-inline -pthread -D"$1" -I"$here/.." "$here/frozen.c" \
		"$here/other.c" order.o -o program
}

reads() { # reads [OPTION]: how many of `g' are in a recording
	rm -f t.foresee
	timeout 60 foresee record -q "$@" -o t.foresee ./program >out 2>err || { note err && return; }
	foresee print t.foresee | awk '$3 == "read" || $3 == "aread" { n += $4 ~ /(^|:)g$/ } END { print n + 0 }'
}

predicted() {
	foresee check -q -f json t.foresee 2>err | grep -o '"status": *"predicted"' | wc -l
}

for llvm in $LLVMS; do
	for level in -O0 -O2; do
		for how in EARLY SETTER; do
			build $how || exit 2
			is "$(reads) $(reads --full)" "$([ $how = EARLY ] && echo 0 || echo 1) 1" \
				"LLVM $llvm $level $how: read, if it may change or all is recorded"
		done
		for how in LATE COPY FILL LOOP CIRCLE CALLBACK CONSTRUCTED JUMP ADDRESS TABLE EXPORTED SETTER \
			HANDLER VOLATILE SECTION ASSEMBLY; do
			build $how || exit 2
			is "$(reads)" 1 "LLVM $llvm $level $how: read"
			case $how in
			EXPORTED | VOLATILE | SECTION | ASSEMBLY) ;;
			*) is "$(predicted)" 1 "... and the race is found" ;;
			esac
		done
		build ATOMIC || exit 2
		is "$(reads)" 1 "LLVM $llvm $level ATOMIC: read"
		build AGAIN || exit 2
		reads >/dev/null
		run foresee check t.foresee
		has err "main sets up" "LLVM $llvm $level: main is called again, and recording ends"
	done
done
done_testing
