#!/usr/bin/env bash
# Blocks by formula: foresee spec --library atomicity writes a property for each variable, thread with
# blocks and other thread; what it finds `triples' finds as well.
. "$(dirname "$0")/../lib.sh"
${CC:-cc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2

# formula: variables and threads that are split in t.std, as "x T1 T2"; nothing where there is no property.
formula() {
	foresee spec --library atomicity t.std >split.spec 2>err || return 2
	grep -q '^property' split.spec || return 0
	foresee check -q -a property -s split.spec -f json t.std >json 2>>err
	[ $? -le 1 ] || return 2
	grep -o '"property": "split_[^"]*"' json | sed -E 's/.*split_(.*)_(T[0-9]+)_(T[0-9]+)"/\1 \2 \3/' | sort -u
}

# triples: the same by the analysis.
triples() {
	foresee check -q -a triples --strict --all-pairs -f json t.std >json 2>err
	[ $? -le 1 ] && ./flatten <json | awk -F= '
		{ gsub(/"/, "") }
		$1 ~ /^\.findings\.[0-9]+\.threads\.0$/ { one = two = $2 }
		$1 ~ /^\.findings\.[0-9]+\.threads\.[12]$/ && $2 != one { two = $2 }
		$1 ~ /^\.findings\.[0-9]+\.object$/ { x = $2 }
		$1 ~ /^\.findings\.[0-9]+\.block\.thread$/ { print x, $2, ($2 == one ? two : one) }' |
		sort -u
}

found=0 of=0
for case in "$SRC"/tests/cases/atomicity/a[0-4]*.case; do
	name=$(basename "$case" .case)
	sed -n 's/^  //p' "$case" | sed 's/~//; s/<[0-9,]*|/|/; /|use|/s/use/opaque/' >t.std
	if ! formula >by_formula || ! triples >by_triples; then
		fail "$name: no answer"
		note err
		continue
	fi
	is "$(comm -23 by_formula by_triples)" "" "$name: no more than triples"
	found=$((found + $(wc -l <by_formula)))
	of=$((of + $(wc -l <by_triples)))
	case $name in
	a01_* | a05_* | a15_* | a30_* | a32_*) same by_formula by_triples "$name: the same" ;;
	esac
done
echo "# $found by formula, of $of"
is "$((found >= 5))" 1 "some are found"

sed -n 's/^  //p' "$SRC"/tests/cases/atomicity/a07_*.case >t.std
run foresee spec --library atomicity t.std
has out '^// left out: the blocks of thread 1, which waits for conditions$' "what it cannot say"
run foresee spec --library atoms t.std
is "$status" 2 "a library that there is not"
has err "unknown library 'atoms': expected races or atomicity" "which is said"
done_testing
