#!/usr/bin/env bash
# Code whose line the optimiser has taken is shown with the nearest line of its function, marked as such.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

cat >lines.c <<'EOF'
#include <pthread.h>
int first, second, third;
static inline __attribute__((always_inline)) void inner(int n)
{
	second = n;
	third = n;
}
void outer(int n)
{
	first = n;
	inner(n);
}
void alone(int n)
{
	first = n;
}
void *run(void *arg)
{
	outer(1);
	alone(2);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, run, 0);
	run(0);
	return pthread_join(t, 0);
}
EOF

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	clang-$v -O1 -g -fno-inline-functions -S -emit-llvm lines.c -o whole.ll || continue
	# Of two stores in an inlined function one has lost its line, of another function all have.
	sed -E 's/(!DILocation\(line: )(5|15|16),/\10,/' whole.ll >lost.ll
	differs=$(diff whole.ll lost.ll | grep -c '^>')
	ok "$v: lines are gone ($differs)" test "$differs" -ge 2
	ok "$v: builds" foresee-cc -O1 -g -c lost.ll -o lost.o
	ok "$v: links" foresee-cc lost.o -pthread -o lost
	run foresee record -o trace ./lost
	run foresee print trace
	has out ' T2:.* write .*first += 1 .*lines\.c:10 in outer' "$v: a line that is there"
	has out ' T2:.* write .*second += 1 .*lines\.c:~6 in inner' "$v: the nearest of the inlined function, not of the one around it"
	has out ' T2:.* write .*third += 1 .*lines\.c:6 in inner' "$v: its neighbour has its own"
	has out ' T2:.* write .*first += 2 .*lines\.c:~13 in alone' "$v: with no line left, where the function begins"
	run foresee check --format=json -o json trace
	has json '"line": 13, ("column": [0-9]*, )?"near": true' "$v: JSON has the line, and says so"
	run foresee check trace
	has out 'lines\.c:~13 in alone' "$v: in a report too"
done
done_testing
