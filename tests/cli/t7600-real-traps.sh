#!/usr/bin/env bash
# What real programs do to memory behind the compiler's back: libc leaves results in it, objects of
# libc's are copied, argument lists go around, files are mapped.  The recording must agree with
# itself, and what is predicted must be just what is there.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

# recorded ARGUMENT...: ./prog does what ./plain does, and the recording agrees with itself.
recorded() {
	./plain "$@" >wanted
	run timeout 60 foresee record -q -o t.foresee ./prog "$@"
	same out wanted "$title: it does what it does"
	run timeout 60 foresee verify t.foresee
	has out '^consistent' "$title: the recording agrees with itself"
	cp out verified
	timeout 60 foresee check --color never t.foresee >report 2>err
}

# predicted OBJECT: a certified race on it; clean OBJECT: nothing at all.
predicted() {
	has report "^[0-9]+  data race on $1\\b.* predicted, certified" "$title: the race on $1 is predicted"
}

clean() {
	hasnt report "^[0-9]+  .* on $1\\b" "$title: nothing on $1"
}

for llvm in $LLVMS; do
	for level in -O0 -O2; do
		tag="LLVM $llvm $level"
		for name in copied results lists mapped; do
			title="$name, $tag"
			source=$SRC/tests/programs/traps/$name.c
			if ! ${CC:-cc} $level -o plain "$source" -lpthread >log 2>&1 ||
				! FORESEE_LLVM=$llvm foresee-cc $level -g -o prog "$source" -lpthread >log 2>&1; then
				fail "$title: it builds"
				note log
				continue
			fi
			case $name in
			copied)
				recorded
				has report '^no race or deadlock' "$title: nothing is found"
				;;
			results)
				recorded -a one -b three
				has verified ' 0 unknown' "$title: every byte is accounted for"
				predicted racy
				;;
			lists)
				recorded
				has verified ' 0 unknown' "$title: every byte is accounted for"
				predicted racy
				;;
			mapped)
				for way in pwrite write append pwritev; do
					title="$name by $way, $tag"
					recorded file $way
					predicted racy
					clean ordered
				done
				title="$name and written by another process, $tag"
				recorded file fork
				clean ordered
				;;
			esac
		done
	done
done
done_testing
