#!/usr/bin/env bash
# x++ and its like: which are one call of the runtime, and that each is recorded as the read and the write that it is,
# whoever writes meanwhile.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
here=$SRC/tests/programs/updates
rounds=500 threads=4

# ---- which ----
for llvm in $LLVMS; do
	for level in -O0 -O1 -O2 -O3; do
		FORESEE_LLVM=$llvm foresee-cc $level -g -S -emit-llvm -o which.ll "$here/which.c" || exit 2
		awk '
			/^define/ { match($0, /@[a-z_.]+/); name = substr($0, RSTART + 1, RLENGTH - 1); calls[name] = 0; n++ }
			/call .*@foresee_add/ { calls[name]++ }
			END {
				for (name in calls) if ((calls[name] > 0) != (name ~ /^yes_[a-z_]*$/)) print name, calls[name]
				if (n < 20) print n, "functions"
			}' which.ll >wrong
		is "$(cat wrong)" "" "LLVM $llvm $level: the right ones are one call"
	done
done

# ---- raced ----

# paired: complains where the lines of raced.c that add something have no read and write of the next number, of the
# value it adds to, so many times.
paired() {
	foresee print t.foresee | awk -v rounds=$rounds -v threads=$threads '
	FNR == NR {
		if (match($0, /adds [-i0-9 ]+/)) {
			adds[FNR] = substr($0, RSTART + 5, RLENGTH - 5)
			modulus[FNR] = /byte/ ? 2 ^ 8 : /half/ ? 2 ^ 16 : /word/ ? 2 ^ 32 : 2 ^ 52
		}
		next
	}
	match($0, /raced\.c:[0-9]+ in work/) && $4 !~ /seen/ {
		line = substr($0, RSTART + 8, RLENGTH - 16) + 0
		if (!(line in adds))
			next
		split($2, event, /[T:]/)
		thread = event[2]
		if ($3 == "read") {
			number[thread] = event[3]; value[thread] = $6; place[thread] = line
			next
		}
		split(adds[line], by, " ")
		sum = by[1] == "i" ? done[thread, line] * 2 ^ by[2] : by[1]
		sum = (value[thread] + sum + modulus[line]) % modulus[line]
		if (place[thread] != line || event[3] != number[thread] + 1 || $6 != sum)
			print "behind " value[thread] " at line " place[thread] ": " $0
		done[thread, line]++
	}
	END {
		for (line in adds)
			for (thread = 2; thread < 2 + threads; thread++)
				if (done[thread, line] != rounds)
					print "T" thread ", line " line ": " done[thread, line] + 0 " times"
	}' "$here/raced.c" - | head -5
}

for llvm in $LLVMS; do
	for level in -O0 -O2; do
		FORESEE_LLVM=$llvm foresee-cc $level -g -w -pthread -o raced "$here/raced.c" || exit 2
		for how in "" --full; do
			rm -f t.foresee
			timeout 120 foresee record -q $how -o t.foresee ./raced $rounds >out 2>err || exit 2
			foresee verify t.foresee >verified 2>&1
			is "$(grep -c '^consistent: .* 0 unknown' verified)" 1 "LLVM $llvm $level $how: consistent"
			is "$(paired)" "" "... and each update is a read and the write behind it"
		done
	done
done

# ---- found, and forced: another thread comes between the two ----
for llvm in $LLVMS; do
	for level in -O0 -O2; do
		FORESEE_LLVM=$llvm foresee-cc $level -g -w -pthread -o raced "$here/raced.c" || exit 2
		rm -f t.foresee
		foresee record -q -o t.foresee ./raced 1 >out 2>err || exit 2
		foresee check -q -a races t.foresee >found 2>err
		id=$(awk '/ data race on shared\.whole .*predicted, certified$/ { print $1; exit }' found)
		run timeout 120 foresee replay t.foresee "${id:-0}"
		is "$status" 0 "LLVM $llvm $level: the read of one thread and the write of another are forced"
		has out '^  the read sees 0 when it comes first, 1 when it comes second$' "... what is read"
	done
done
done_testing
