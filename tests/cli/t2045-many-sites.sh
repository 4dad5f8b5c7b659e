#!/usr/bin/env bash
# Programs with more places than short records can name at once: each access keeps its place, its
# variable and its values, and costs little as long as its habit is remembered.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

# program N [SPREAD]: N places, each for a counter of its own, in random order; or 40 of them, in two
# groups whose first ones are so far apart.
program() {
	local which="(s >> 8) % $1"
	[ $# = 1 ] || which="(s >> 8) % 20 + (s >> 16) % 2 * $2"
	echo 'static long v[5000]; static unsigned s = 1;'
	echo 'static void one(unsigned k) { switch (k) {'
	for ((k = 0; k < $1; k++)); do
		echo "case $k: v[$k]++; break;"
	done
	echo '} }'
	echo 'int main(void) {'
	echo "for (int i = 0; i < 30000; i++) { s = s * 1103515245u + 12345u; one($which); }"
	echo 'return 0; }'
}

for n in 200 4000; do
	program $n >many.c
	ok "$n places: builds" foresee-cc -g -O0 -w -pthread -o many many.c
	rm -f t.foresee
	ok "$n places: is recorded" foresee record -q --full -o t.foresee ./many
	run foresee verify t.foresee
	is "$(grep -c '^consistent: .* 0 unknown' out)" 1 "$n places: is consistent"
	foresee print t.foresee | sed -n 's/.*many\.c:v\[\([0-9]*\)\].* many\.c:\([0-9]*\) in one.*/\1 \2/p' |
		awk '{ n++; wrong += $2 != $1 + 3 } END { print n + 0, wrong + 0 }' >places
	is "$(cat places)" "60000 0" "$n places: each access is where its variable is"
done

# Each place has two sites, and sites that are 256 apart take turns in one seat.
for spread in 20 128; do
	program 200 $spread >many.c
	foresee-cc -g -O0 -w -pthread -o many many.c && rm -f t.foresee &&
		foresee record -q --full -o t.foresee ./many || exit 2
	bytes[spread]=$(stat -c %s t.foresee)
done
more=$(((bytes[128] - bytes[20]) * 10 / 120000))
ok "taking turns costs $more tenths of a byte an access, less than 6" test $more -lt 6
done_testing
