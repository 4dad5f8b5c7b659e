#!/usr/bin/env bash
# The report about threads that wait for ever: text, JSON, suppressions, counts, statuses.
. "$(dirname "$0")/../lib.sh"

# value FILE EXPRESSION: of the object j in FILE, f its first finding, as Python prints it.
value() {
	python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
f = j["findings"][0] if j["findings"] else None
print(eval(sys.argv[2]))' "$1" "$2"
}

# Two locks crossed, the first thread under a third.
cat >crossed.std <<'EOT'
T1|acq(g)|f.c:8:one
T1|acq(a)|f.c:10:one
T1|acq(b)|f.c:12:one
T1|rel(b)|f.c:13:one
T1|rel(a)|f.c:14:one
T1|rel(g)|f.c:15:one
T2|acq(b)|f.c:20:two
T2|acq(a)|f.c:22:two
T2|rel(a)|f.c:23:two
T2|rel(b)|f.c:24:two
EOT
run foresee check crossed.std
is "$status" 1 "found: status"
has out '^1  deadlock of T1 and T2 on b, a +predicted, certified$' "the title"
has out '^   T1  holds       a  f\.c:10 in one$' "what it holds"
has out '^       also holds  g \(:8\)$' "and what else"
has out '^       waits for   b  f\.c:12 in one$' "what it waits for"
has out '^   The run that shows it \(in the observed run T1 locked b before T2 did\):$' "what hid it"
has out '^ +3  lock   b  :12 +<- waits for T2$' "the end of the first thread"
has out '^ +8 +lock   a  :22 +<- waits for T1$' "and of the second"
has out '^   T1 holds g here \(f\.c:8\); if T2 took g as well before b, this could not happen$' \
	"the gate that is half there"
has out '^1 finding \(1 deadlock\)\. 1 candidate deadlock: 1 predicted\.$' "the last line"
hasnt out 'found by' "one analysis looks for it"
has out '^how to read this: foresee help deadlock$' "where to read on"
run foresee check -a patterns,deadlocks crossed.std
has out '^   found by deadlocks$' "several look for it"
hasnt out '^2  deadlock' "the same places are one finding"

# Warnings are described without holding the trace: in the same words.
run foresee check -q -a patterns crossed.std
is "$status" 1 "a warning: status"
has out '^1  deadlock of T1 and T2 on b, a +warning$' "it is called that"
has out '^       also holds  g \(:8\)$' "with what is held"
has out '^   T1 holds g here \(f\.c:8\); if T2 took g' "and the gate"
has out '^   only a warning: ' "and why it is no more"
hasnt out 'run that' "and no run"

# The gate on both sides: no candidate.
sed '/^T2.acq(b)/i T2|acq(g)|f.c:19:two' crossed.std | sed '$a T2|rel(g)|f.c:25:two' >gated.std
run foresee check gated.std
is "$status" 0 "a gate: status"
has out '^no race or deadlock in any run that the recording proves possible\.' "in words"
run foresee check -a deadlocks gated.std
has out '^no deadlock in any run that the recording proves possible\.' "of deadlocks alone"

# A cycle that the exact search refutes is counted.
cat >refuted.std <<'EOT'
T1|acq(a)|f.c:1
T1|acq(b)|f.c:2
T1|w(x)|f.c:3
T1|rel(b)|f.c:4
T1|rel(a)|f.c:5
T2|r(x)|f.c:11
T2|acq(b)|f.c:12
T2|acq(a)|f.c:13
T2|rel(a)|f.c:14
T2|rel(b)|f.c:15
EOT
run foresee check -a deadlocks refuted.std
is "$status" 0 "refuted: status"
has out '1 candidate deadlock: 1 refuted exactly\.$' "and counted"

# Races and deadlocks together.
{
	echo 'T1|w(x)|r.c:1'
	cat crossed.std
	echo 'T2|w(x)|r.c:2'
} >both.std
run foresee check both.std
has out '^2 findings \(1 race, 1 deadlock\)\.' "two kinds, counted"
has out '^how to read this: foresee help race$' "how to read the one"
has out '^                  foresee help deadlock$' "and the other"

# Cycles at the same places are one finding.
sed 's/(a)/(c)/; s/(b)/(d)/; s/T1/T3/; s/T2/T4/' crossed.std | cat crossed.std - >twice.std
run foresee check -a deadlocks twice.std
has out '^1 finding \(1 deadlock\)\.' "other locks at the same places"

# Suppressions by lock, function and file.
for rule in 'deadlock:lock:a' 'deadlock:variable:b' 'deadlock:function:two' '*:file:f.c'; do
	echo "$rule" >rules
	run foresee check --suppress rules crossed.std
	is "$status" 0 "$rule: status"
	has out '^1 suppressed:$' "$rule hides it"
done
for rule in 'race:lock:a' 'deadlock:lock:g' 'deadlock:function:three' 'lost-wakeup:file:f.c'; do
	echo "$rule" >rules
	run foresee check --suppress rules crossed.std
	is "$status" 1 "$rule does not"
done

# JSON.
if command -v python3 >/dev/null; then
	run foresee check -f json crossed.std
	cp out j
	is "$(value j '[f[k] for k in ("kind", "status", "certified", "events", "threads", "object")]')" \
		"['deadlock', 'predicted', True, [3, 8], ['T1', 'T2'], ['b', 'a']]" "the finding in JSON"
	is "$(value j '[(p["op"], p["line"], p["function"], p["holds"]) for p in f["places"]]')" \
		"[('lock', 12, 'one', ['g', 'a']), ('lock', 22, 'two', ['b'])]" "its places"
	is "$(value j '[(t["lock"], t["event"], t["file"], t["line"]) for t in f["places"][0]["taken"]]')" \
		"[('g', 1, 'f.c', 8), ('a', 2, 'f.c', 10)]" "where the locks were taken"
	is "$(value j 'sorted(f["witness"]["order"]), f["witness"]["order"][-2:]')" \
		"([1, 2, 3, 7, 8], [3, 8])" "the order, the requests last"
	is "$(value j '[a["name"] for a in j["analyses"]]')" "['races', 'deadlocks']" \
		"the default analyses"
	is "$(value j 'j["analyses"][1]["counts"]["predicted"]')" 1 "counted"
	run foresee check -a deadlocks --all-pairs -f json twice.std
	is "$(value out 'len(j["findings"]) >= 2')" True "--all-pairs has every cycle"
fi

# Witnesses can be verified.
run foresee check -q --witness-dir w crossed.std
has out '^   verify it:  foresee verify crossed\.std w/1\.witness$' "how to verify it"
run foresee verify crossed.std w/1.witness
is "$status" 0 "it verifies"
has out '^certified: deadlock' "as a deadlock"

# Seven threads fit in 100 columns.
for ((i = 0; i < 7; i++)); do
	j=$(((i + 1) % 7))
	printf 'P%d|acq(fork_%d)|p.c:10:eat\nP%d|acq(fork_%d)|p.c:11:eat\n' $i $i $i $j
	printf 'P%d|rel(fork_%d)|p.c:12:eat\nP%d|rel(fork_%d)|p.c:13:eat\n' $i $j $i $i
done >seven.std
run foresee check seven.std
is "$status" 1 "philosophers: status"
has out '^1  deadlock of 7 threads on .* and 3 more +predicted, certified$' "seven of them"
is "$(grep -c '<- waits for P[0-6]$' out)" 7 "each waits for one"
is "$(awk 'length > 100' out)" "" "in lines that fit"

# A long run is cut.
{
	for ((i = 0; i < 500; i++)); do
		printf 'T%d|acq(m)|l.c:1\nT%d|rel(m)|l.c:2\n' $((i % 2 + 1)) $((i % 2 + 1))
	done
	cat crossed.std
} >long.std
run foresee check -a deadlocks long.std
has out '\.\.\. [0-9]+ events' "what matters little is counted"
is "$(test "$(wc -l <out)" -lt 40 && echo short)" short "and left out"

# A join with a lock held.
cat >join.std <<'EOT'
T1|fork(T2)|f.c:1:main
T2|acq(m)|f.c:10:child
T2|rel(m)|f.c:11:child
T1|acq(m)|f.c:2:main
T1|join(T2)|f.c:3:main
T1|rel(m)|f.c:4:main
EOT
run foresee check join.std
has out '^1  deadlock of T2 and T1 on m and a join +predicted, certified$' "a join: the title"
has out '^       joins      T2  f\.c:3 in main$' "who joins"
has out '^ +5 +join   T2  :3 +<- waits for the end of T2$' "the end"
has out '^1 finding \(1 join-holding-lock\)\.' "its kind"

# The recorded run ended there.
cat >hung.std <<'EOT'
#fmt 1
T1|acq(a)|f.c:1
T2|acq(b)|f.c:11
T1|req(b)|f.c:2
T2|req(a)|f.c:12
EOT
run foresee check hung.std
is "$status" 1 "a run that hung: status"
has out '^   It happened in the recorded run: that ended there\.$' "is called that"
hasnt out 'in the observed run' "and not hidden"

# Conditions.
cat >lost.std <<'EOT'
#fmt 1
T2|r(ready)@seq_cst|f.c:10:waiter
T2|acq(m)|f.c:11:waiter
T2|rel(m)!wait|f.c:12:waiter
T2|park(c,m)|f.c:12:waiter
T1|w(ready)@seq_cst|f.c:30:other
T1|signal(c:1)|f.c:31:other
T2|wake(c)<6|f.c:12:waiter
T2|acq(m)!wait|f.c:12:waiter
T2|rel(m)|f.c:13:waiter
EOT
run foresee check lost.std
is "$status" 1 "a lost wakeup: status"
has out '^1  lost wakeup of T2 on c +predicted, certified$' "the title"
has out '^   the signal comes when nobody waits, and T2 then waits for ever$' "in a sentence"
has out '^ +6  signal c  :31$' "the signal comes"
has out '^ +3 +wait on c  :12 +<- waits for a signal that has gone$' "then the wait"
if command -v python3 >/dev/null; then
	run foresee check -f json lost.std
	is "$(value out 'f["kind"], f["object"], sorted(f["witness"]["order"]), f["witness"]["order"][-1]')" \
		"('lost-wakeup', ['c'], [1, 2, 3, 5, 6], 3)" "in JSON the signal comes once, the wait last"
	is "$(value out '[p["op"] for p in f["places"]]')" "['wait', 'signal']" "and what they do"
fi

# The manual of it.
run foresee help deadlock
is "$status" 0 "help deadlock: status"
has out '^How sure$' "help deadlock explains"
is "$(awk 'length > 100' out)" "" "in lines that fit"
run foresee help
has out '^  deadlock +how to read' "help lists it"

command -v foresee-cc >/dev/null || done_testing

# The same code in many threads: stacks are told once.
cat >table.c <<'EOT'
#include <pthread.h>

#define N 5
static pthread_mutex_t forks[N];

static __attribute__((noinline)) void eat(int i)
{
	pthread_mutex_lock(&forks[i]);
	pthread_mutex_lock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[(i + 1) % N]);
	pthread_mutex_unlock(&forks[i]);
}

static void *philosopher(void *p)
{
	eat((int)(long)p);
	return 0;
}

int main(void)
{
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], 0);
	for (long i = 0; i < N; i++) {
		pthread_create(&t[i], 0, philosopher, (void *)i);
		/* Long enough, mostly; were they to meet, that would be reported all the same. */
		for (volatile int k = 0; k < 3000000; k++)
			;
	}
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
EOT
run foresee run table.c
is "$status" 1 "a program: status"
has out '^1  deadlock of 5 threads on forks' "its locks have names"
has out '^   T[2-6]  holds +forks.* table\.c:8 in eat$' "where it took what it holds"
has out '^ +table\.c:16 in philosopher$' "called from where"
has out 'table\.c:9 in eat, called as in T[2-6]$' "the others the same way"

# ring N: so many threads, each of which takes its lock and the next one's, one after the other.
ring() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { t = "T" i + 1; a = "f" i; b = "f" (i + 1) % n
		print t "|acq(" a ")|f.c:1:dine\n" t "|acq(" b ")|f.c:2:dine"
		print t "|rel(" b ")|f.c:3:dine\n" t "|rel(" a ")|f.c:4:dine" } }'
}
for n in 9 64; do
	ring $n >ring.std
	run foresee check --witness-dir ring.$n ring.std
	is "$status" 1 "ring of $n: status"
	has out "^1  deadlock of $n threads on f1, f2, f3, f4 and $((n - 4)) more +predicted, certified$" "ring of $n: found"
	is "$(grep -c '<- waits for T' out)" $n "ring of $n: each waits"
	is "$(grep -c '^ .*  waits for  f' out)" $n "ring of $n: for what"
	is "$(wc -w <<<"$(grep ^target ring.$n/1.witness)")" $((n + 1)) "ring of $n: the witness names all"
	ok "ring of $n: which the checker takes" foresee verify ring.std ring.$n/1.witness
	sed "s/^\(target.*\) [0-9]*$/\1/" ring.$n/1.witness >less.witness
	run foresee verify ring.std less.witness
	is "$status" 1 "ring of $n: and refuses without the last"
	run foresee check -f json ring.std
	is "$(value out 'len(f["events"])')" $n "ring of $n: JSON"
	is "$(value out 'f["summary"].count("f.c:2") ')" $((n > 8 ? 4 : n)) "ring of $n: in a line, some places"
done
ring 65 >ring.std
run foresee check ring.std
is "$status" 3 "ring of 65: status"
has out '^not complete: deadlocks: circles of more than 64 threads were not looked for$' "ring of 65: says so"
done_testing
