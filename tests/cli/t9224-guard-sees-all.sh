#!/usr/bin/env bash
# No write of what a spec names is missed without a word: by whatever name a function is called that gets its address,
# however much of memory an access covers, and where code without hooks writes that is said.
. "$(dirname "$0")/../lib.sh"

cat >lent.c <<'C'
#include <stdio.h>
static int x;
/* These are the program's own, of another file; what the libraries have begins alike. */
void sem_lend(int *p);
void mtx_lock(int *p);
void pthread_mutex_lend(int *p);
void later(void);
int main(void)
{
#if HOW == 1
	sem_lend(&x);
#elif HOW == 2
	mtx_lock(&x);
#else
	pthread_mutex_lend(&x);
#endif
	later();
	printf("%d\n", x);
	return 0;
}
C
cat >keeps.c <<'C'
static int *kept;
void sem_lend(int *p) { kept = p; }
void mtx_lock(int *p) { kept = p; }
void pthread_mutex_lend(int *p) { kept = p; }
void later(void)
{
	*kept = 7;
}
C
cat >x.spec <<'END'
shared int x;
event w = write(x); event r = read(x);
property writes: mttl @any(!w()); property reads: mttl @any(!r());
END
# guarded SPEC PROGRAM
guarded() {
	run timeout 60 foresee guard -q -s "$1" "./$2"
}
for llvm in $FORESEE_LLVMS; do
	for how in 1 2 3; do
		FORESEE_LLVM=$llvm foresee-cc -g -O2 -DHOW=$how lent.c keeps.c -o lent || exit 2
		guarded x.spec lent
		has err "'writes' is violated .* at keeps\.c:7 in later; it knows x = 7 \(write 1\)" "LLVM $llvm, lent to a function ($how): its write is seen"
	done
done

# --- accesses that begin before what is watched, and end behind it ---
cat >cover.c <<'C'
#include <foresee.h>
#include <stdio.h>
#include <string.h>
struct e { long before[4]; int x; long after[4]; };
struct e s, from;
int main(int argc, char **argv)
{
	(void)argv;
	memset(&s, argc, sizeof s); FORESEE_EVENT("next");
	s = from; FORESEE_EVENT("next");
	memset(&s, 2 * argc, argc * sizeof s); FORESEE_EVENT("next");
	memcpy(&from, &s, argc * sizeof s); FORESEE_EVENT("next");
	printf("%d\n", from.x);
	return 0;
}
C
sed 's/\bx\b/s.x/g' x.spec >cover.spec
for level in -O0 -O2; do
	foresee-cc -g $level cover.c -o cover || exit 2
	guarded cover.spec cover
	is "$(sed -n "s/.*property '\(.*\)' is violated.* at \(.*\) in main; it knows/\1 \2/p" err)" \
		"writes cover.c:9 s.x = 16843009 (write 1)
writes cover.c:10 s.x = 0 (write 2)
writes cover.c:11 s.x = 33686018 (write 3)
reads cover.c:12 s.x = 33686018 (write 3)" "$level: all four touch it"
done

# --- one access touches all that a spec may name ---
cat >wide.c <<'C'
#include <string.h>
int a[60];
int main(int argc, char **argv)
{
	(void)argv;
	memset(a, argc, sizeof a);
	return a[argc];
}
C
for i in $(seq 0 59); do
	echo "shared int a[$i]; event w$i = write(a[$i]); property p$i: mttl @any(!w$i()) handler count;"
done >wide.spec
foresee-cc -g -O1 wide.c -o wide || exit 2
guarded wide.spec wide
is "$(grep -c 'was violated 1 time$' err)" 60 "a write of 60 variables at once is one of each"

# --- what no hook sees ---
cat >unseen.c <<'C'
#include <stdio.h>
int x;
void gets_it(int *p);
void knows_it(void);
int main(void)
{
#if HOW == 1
	__asm__ volatile("movl $7, %0" : "=m"(x));
#elif HOW == 2
	gets_it(&x);
#elif HOW == 3
	knows_it();
#endif
#if HOW > 3
	x = 7;
#endif
	printf("%d\n", x);
	return 0;
}
C
cat >without.c <<'C'
extern int x;
void gets_it(int *p);
void knows_it(void);
void gets_it(int *p) { *p = 7; }
void knows_it(void) { x = 7; }
C
${CC:-cc} -O1 -c without.c -o without.o || exit 2
# unseen HOW WORDS DESCRIPTION: what is said of it.
unseen() {
	foresee-cc -g -O1 -DHOW=$1 unseen.c without.o -o unseen || exit 2
	guarded x.spec unseen
	is "$(cat out)$(sed -n 's/^foresee: guard: .x. \(.*\): of what is done there nothing is known$/ \1/p' err)" "7$2" "$3"
}
unseen 1 " is given to code without hooks, at unseen.c:8 in main" "assembly that writes it: said"
unseen 2 " is given to code without hooks, at unseen.c:10 in main" "code without hooks gets its address: said"
unseen 3 " was written by code without hooks before it is read here, at unseen.c:17 in main" \
	"it is written by name, elsewhere: said where that is read"
unseen 4 "" "nothing of the kind where all is seen"
done_testing
