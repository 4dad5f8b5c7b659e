#!/usr/bin/env bash
# A program's own functions that have names of libc's are its own: called from any unit, directly or
# through a pointer, also with the types of libc's.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"

# Names that the runtime stands in for.  1 is success here, and what is written is not what libc writes.
cat >own.c <<'EOT'
#include <stdlib.h>
int tss_create(unsigned *key, void (*end)(void *))
{
	*key = 4711;
	return end == NULL;
}
int uname(void *p)
{
	*(char *)p = 'u';
	return 1;
}
__attribute__((weak)) char *mkdtemp(char *p)
{
	return p + 1;
}
static int gethostname(char *p, size_t n)
{
	*p = 'g';
	return (int)n;
}
int in_this_unit(char *p)
{
	return gethostname(p, 3);
}
EOT
cat >main.c <<'EOT'
#include <stdio.h>
int tss_create(unsigned *key, void (*end)(void *));
int uname(void *p);
char *mkdtemp(char *p);
int in_this_unit(char *p);
int (*through)(void *) = uname;
int main(void)
{
	unsigned key = 1;
	char text[3] = "ab", other = '-', third = '-';
	int a = tss_create(&key, NULL), b = uname(text), c = through(&other);
	int d = in_this_unit(&third);

	printf("%d %u %d %s %d %c %d %c %s\n", a, key, b, text, c, other, d, third, mkdtemp(text));
	return 0;
}
EOT
wanted="1 4711 1 ub 1 u 3 g b"
for llvm in $LLVMS; do
	export FORESEE_LLVM=$llvm
	for level in -O0 -O2; do
		ok "builds, $level, LLVM $llvm" foresee-cc -g $level -w main.c own.c -o prog
		run timeout 60 foresee record -q -o t.foresee ./prog
		is "$(cat out)" "$wanted" "... and does what it does"
		ok "... in a recording that is consistent" foresee verify t.foresee
	done
done
done_testing
