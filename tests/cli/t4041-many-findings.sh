#!/usr/bin/env bash
# Hundreds of findings, each with a run as long as the trace: all certified, and a report that does
# not grow with their product.
. "$(dirname "$0")/../lib.sh"

# races N: T1 does 20 000 things of its own, then writes N variables; T2 writes them, too.
races() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < 20000; i++)
			print "T1|w(own)|a.c:1"
		for (i = 1; i <= n; i++)
			printf "T1|w(v%d)|a.c:%d\nT2|w(v%d)|b.c:%d\n", i, i + 1, i, i + 1
	}'
}

races 400 >many.std
run foresee check -q --jobs 1 -f json many.std
is "$(grep -o '"certified": true' out | wc -l)" 400 "all of them certified"
is "$(grep -o '"order_length": [0-9]*' out | wc -l)" 400 "their orders by length"
is "$(grep -o "\"order_length\": 20002" out | wc -l)" 1 "each with its own"
is $(($(wc -c <out) < 2000000)) 1 "a report of less than 2 MB"

races 3 >few.std
run foresee check -q -f json few.std
is "$(grep -o '"order": \[1, 2, 3, ' out | wc -l)" 3 "three findings: their orders in full"
hasnt out order_length "and not by length"
done_testing
