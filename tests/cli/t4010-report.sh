#!/usr/bin/env bash
# The report for a reader who is tired: many findings, long names, deep stacks, other people's
# headers, variables on stacks; the same in JSON.
. "$(dirname "$0")/../lib.sh"

# Many findings: some in full, the rest in a line each.
for ((i = 1; i <= 30; i++)); do
	printf 'T1|w(v%d)|a.c:%d\nT2|w(v%d)|b.c:%d\n' $i $i $i $i
done >many.std
run foresee check many.std
is "$(grep -c '^[0-9]*  data race' out)" 30 "all are there"
is "$(grep -c '^   The run that shows it' out)" 20 "twenty in full"
has out '^21  data race on v21: T1 write a\.c:21, T2 write b\.c:21 +predicted, certified$' \
	"the others in a line"
has out '^10 of them in one line each: -v tells all in full' "which is said"
run foresee check -q -v many.std
is "$(grep -c '^   The run that shows it' out)" 30 "-v: all in full"

# Of one variable three are enough.
for ((i = 1; i <= 6; i++)); do
	printf 'T1|w(x)|a.c:%d\n' $i
done >same.std
printf 'T2|w(x)|b.c:1\nT1|w(y)|a.c:9\nT2|w(y)|b.c:9\n' >>same.std
run foresee check same.std
is "$(grep -c '^   The run that shows it' out)" 4 "three of one variable, and the other"
has out '^[0-9]+  data race on y +predicted' "the other is not buried"
run foresee check -f json same.std
is "$(grep -o '"id": ' out | wc -l)" 7 "JSON has all"

# Long names are cut where columns need it, their lines are not.
long=$(printf 'a_name_without_end_%.0s' 1 2 3 4 5 6)
printf 'T1|w(%s)|a.c:17\nT2|w(%s)|a.c:23\n' "$long" "$long" >long.std
run foresee check long.std
has out '^ +1, 2  write  a_name.*\.\.  :17  <-->  write  a_name.*\.\.  :23$' "a cut name, with its line"
has out "^1  data race on $long  predicted, certified$" "the title has it whole"
is "$(awk 'length > 160' out)" "" "no line without end"

# Warnings are described without holding the trace: the same words as with it.
cat >locks.std <<'EOT'
T1|acq(m)|a.c:1
T1|acq(n)|a.c:2
T1|acq(m)|a.c:3
T1|rel(m)|a.c:4
T1|w(x)|a.c:5
T1|rel(n)|a.c:6
T1|rel(m)|a.c:7
T2|acq(l)|b.c:1
T2|w(x)|b.c:2
T2|rel(l)|b.c:3
T1|w(x)|a.c:8
EOT
run foresee check -q -a eraser locks.std
has out '^1  data race on x +warning$' "a warning"
has out '^   T2  write  b\.c:2 +holds l \(:1\)$' "with the lock that is held"
run foresee check -q -a hb,syncp locks.std
has out '^   T1  write  a\.c:5 +holds m \(:1\), n \(:2\)$' "two locks, one of them taken twice"

# The wrong command for the file.
run foresee run many.std
is "$status" 2 "run of a trace: status"
has err "^foresee: 'many.std' is a trace, not a program; 'foresee check many.std' analyses it$" \
	"and what was meant"
echo 'int main(void) { return 0; }' >main.c
run foresee check main.c
is "$status" 2 "check of source: status"
has err "^  for source: 'foresee run main.c'$" "and what was meant"

# The manual of it.
run foresee help race
is "$status" 0 "help race: status"
has out '^How sure$' "help race explains"
is "$(awk 'length > 100' out)" "" "in lines that fit"
run foresee help
has out '^  race +how to read' "help lists it"

command -v foresee-cc >/dev/null || done_testing

# Recursion, a variable on another thread's stack, a path from here.
mkdir -p src work
cat >src/deep.c <<'EOT'
#include <pthread.h>

static __attribute__((noinline)) int down(int n, int *p)
{
	if (n == 0) {
		*p = n + 1;
		return 0;
	}
	int r = down(n - 1, p);
	__asm__ volatile("" ::: "memory");
	return r + 1;
}

static void *work(void *p)
{
	down(20, p);
	return 0;
}

int main(void)
{
	int kept[2] = { 0 };
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, &kept[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return kept[1] == 5;
}
EOT
# From elsewhere, so that the name of the file is recorded in full.
here=$PWD
(cd / && foresee-cc -O1 -g "$here/src/deep.c" -o "$here/deep" -lpthread) || exit 2
cd work
run foresee run ../deep
is "$status" 1 "a stack variable: status"
has out '^1  data race on kept\+4 \(4 bytes at \+4, local of T1\) +predicted, certified$' \
	"is named, with whose it is"
has out '^   kept is a local variable of T1: \.\./src/deep\.c:22 in main$' "and where"
has out '^   T2  write  \.\./src/deep\.c:6 in down +no lock held$' "paths from here when that is shorter"
has out '^ +\.\./src/deep\.c:9 in down \(20 times\)$' "recursion in one line"
has err 'trace: deep\.foresee ' "the trace too"
cp out full
run foresee check -a hb deep.foresee
has out '^1  data race on kept\+4 \(4 bytes at \+4, local of T1\) +warning$' "the same from hb"
has out '^   kept is a local variable of T1: \.\./src/deep\.c:22 in main$' "where, too"
cd ..

# Use after free, in the recorded run or in another one: in turns that the recorder does not see.
${CC:-cc} -O1 -c -o order.o "$SRC/tests/programs/order.c" || exit 2
cat >late.c <<'EOT'
#include <pthread.h>
#include <stdlib.h>

#include "order.h"

static int late;

static void *work(void *p)
{
	long n;

	if (late)
		order_see(1);
	n = *(int *)p;
	if (!late)
		order_at(0);
	return (void *)n;
}

int main(int argc, char **argv)
{
	int *p = calloc(4, 4);
	pthread_t t;

	late = argc > 1;
	pthread_create(&t, 0, work, p);
	if (!late)
		order_see(1);
	free(p);
	if (late)
		order_at(0);
	pthread_join(t, 0);
	return argv == 0;
}
EOT
foresee-cc -O0 -g -I"$SRC/tests/programs" late.c order.o -o late -lpthread || exit 2
run foresee run ./late
has out '^   if the free comes first, the other is a use after free$' "a use after free is called that"
has out '<--> +free +heap#[0-9]+  :29' "and what is freed"
run foresee run ./late late
has out '^   the free came first in the recorded run: the other was a use after free$' "one that happened too"
has out 'free +heap#[0-9]+  :29 +<--> +read' "and what was freed"

# C++: headers of the library are folded, names with arguments cut.
cat >names.cpp <<'EOT'
#include <mutex>
#include <string>
#include <thread>
#include <vector>

template <typename T> struct Log {
	std::mutex m;
	std::vector<T> lines;
	void add(const T &s)
	{
		lines.push_back(s);
	}
};
static Log<std::string> journal;

int main()
{
	std::thread a([] { journal.add("a"); });
	a.join();
	std::thread b([] { journal.add("b"); });
	std::thread c([] {
		std::lock_guard<std::mutex> g(journal.m);
		journal.add("c");
	});
	b.join();
	c.join();
}
EOT
if foresee-c++ -g -O1 names.cpp -o names -lpthread 2>log; then
	run foresee run ./names
	is "$status" 1 "C++: status"
	has out '^ +\.\.\. [0-9]+ frames in system headers$' "frames of headers are folded"
	has out '^ +names\.cpp:[0-9]+ in ' "those of the program are not"
	hasnt out '\.\./lib/gcc' "paths without detours"
	is "$(awk 'length > 200' out)" "" "no endless names"
	run foresee check -f json names.foresee
	has out '"function": "std::' "JSON has the frames"
fi
done_testing
