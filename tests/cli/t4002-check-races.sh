#!/usr/bin/env bash
# check: predicted races in words, what is said when there are none, statuses.
. "$(dirname "$0")/../lib.sh"

# The lock hides it: T1 wrote and used m, then T2 used m and read.
cat >hidden.std <<'EOT'
T1|w(x)|a.c:1
T1|acq(m)|a.c:2
T1|rel(m)|a.c:3
T2|acq(m)|b.c:1
T2|rel(m)|b.c:2
T2|acq(l)|b.c:3
T2|r(x)|b.c:4
T2|rel(l)|b.c:5
EOT
run foresee check hidden.std
is "$status" 1 "a hidden race: status"
has out '^1  data race on x +predicted, certified$' "what, and how sure"
has out '^   T1  write  a\.c:1 +no lock held$' "the first access"
has out '^   T2  read   b\.c:4 +holds l \(:3\)$' "the second, with its lock"
has out "^   The run that shows it \(in the observed run T1's unlock of m came before T2's lock of m\):" \
	"what hid it"
has out '^ +T1 +T2$' "a column for each thread"
has out '^ +4 +lock +m  :1$' "synchronisation"
has out '^ +1, 7  write  x  :1 +<--> +read +x  :4 +nothing orders these two$' "the pair"
has out '^1 finding \(1 race\)\. 1 candidate pair of places: 1 predicted\.$' "the last line"
has out '^keep the proofs:  foresee check --witness-dir hidden.proofs hidden.std$' "what to type next"
has out '^how to read this: foresee help race$' "and where it is explained"
is "$(cat err)" "" "nothing on stderr"
run foresee check -q hidden.std
hasnt out 'foresee help race' "-q: the report alone"
cp out first
run foresee check -q --jobs 1 hidden.std
same out first "the same with one job"
run sh -c 'foresee check -q - <hidden.std'
same out first "the same from standard input"
run sh -c 'cat hidden.std | foresee check -q /dev/stdin'
same out first "and from a pipe"
run sh -c 'foresee check - <hidden.std'
has out '^verify one:       foresee verify TRACE DIR/1.witness$' "which has no name to type"

# Both under the same lock.
cat >clean.std <<'EOT'
T1|acq(m)|1
T1|w(x)|2
T1|rel(m)|3
T2|acq(m)|4
T2|r(x)|5
T2|rel(m)|6
EOT
run foresee check clean.std
is "$status" 0 "no race: status"
has out '^no race or deadlock in any run that the recording proves possible\.' "in words"
has out '^  Every order of the 6 recorded events was considered; other input' "and what that does not say"

# None where each keeps its partner; with another one, T3 writes x beside T2.  The answer says so.
cat >woken.std <<'EOT'
#fmt 1
T2|acq(m)|10
T2|rel(m)!wait|11
T2|park(c,m)|11
T3|w(x)|20
T3|acq(m)|21
T3|signal(c:1)|22
T3|rel(m)|23
T2|wake(c)<6|11
T2|acq(m)!wait|11
T2|rel(m)|12
T2|w(x)|13
EOT
run foresee check -a races woken.std
has out '^no race in any run that the recording proves possible\.' "one signal: who else should have"
cp woken.std others.std
printf '%s\n' 'T4|acq(m)|30' 'T4|signal(c)|31' 'T4|rel(m)|32' >>others.std
run foresee check -a races others.std
has out '^no race in any run .*, where waits are woken by the signals that woke them\.' "another signal"
has out '^  Every such order of the 14 recorded events was considered; other input' "what was considered"
has out '^    1 wait for a condition could have been woken by another signal$' "and what was not"
run foresee check -a races -f json others.std
has out '"exhaustive": false, "not_exhaustive_because": \["1 wait for a condition' "no promise in JSON"
cat >met.std <<'EOT'
#fmt 1
T1|barinit(b:2)|1
T1|fork(T2)|2
T1|fork(T3)|3
T1|fork(T4)|4
T1|fork(T5)|5
T2|w(x)|10
T2|barin(b:0)|11
T3|barin(b:0)|21
T2|barout(b:0)|11
T3|barout(b:0)|21
T3|w(x)|22
EOT
run foresee check -a races met.std
has out '^no race in any run that the recording proves possible\.' "two threads at a barrier for two"
cp met.std crowd.std
printf '%s\n' 'T4|barin(b:1)|31' 'T5|barin(b:1)|41' 'T4|barout(b:1)|31' 'T5|barout(b:1)|41' >>crowd.std
run foresee check -a races crowd.std
has out '^no race in any run .*, where barriers are met by the threads that met\.' "four of them"
has out '^    other threads could have met in 2 rounds of a barrier$' "so they might have met otherwise"
grep -v barinit crowd.std >unmade.std
run foresee check -a races unmade.std
has out ', where barriers are met by the threads that met\.' "so too without its init"
cat >piped.std <<'EOT'
#fmt 1
T1|w(x)|1
T1|give(p)!file|2
T2|take(p)!file|3
T2|r(x)|4
EOT
run foresee check -a races piped.std
has out '^no race in any run .*, where what comes through the kernel comes as it came\.' "a pipe"
sed 's/!file//' piped.std >said.std
run foresee check -a races said.std
has out '^no race in any run that the recording proves possible\.' "what the program says is so"
# Who reads second has what the first has left: not without it.
cat >turns.std <<'EOT'
#fmt 1
T1|w(x)|1
T1|give(p)!turn|2
T1|w(y)|3
T2|take(p)!turn|4
T2|give(p)!turn|5
T2|r(x)|6
T2|r(y)|7
EOT
run foresee check -a races turns.std
is "$status" 1 "what comes after a turn"
hasnt out 'data race on x' "what came before it is ordered"
has out '^1 *data race on y' "and only that"
cat crowd.std >all.std
printf '%s\n' 'T6|give(p)!socket|1' 'T7|take(p)!socket|1' >>all.std
run foresee check -a races all.std
has out ', where barriers are met by .*, and what comes through the kernel' "two at once"

echo '# nothing' >empty.std
run foresee check empty.std
is "$status" 0 "no events, no race"
has out '^nothing to look at: the trace has no events\.' "which is no proof"
echo 'T1|w(x)|1' >one.std
run foresee check one.std
has out '^  Only one thread was recorded\.' "a thread alone is told of"

# One finding for each pair of places, all pairs when asked for.
for i in 1 2 3; do
	echo 'T1|w(x)|a.c:1'
	echo 'T2|w(x)|b.c:1'
done >many.std
run foresee check many.std
is "$(grep -c '^[0-9]*  data race' out)" 1 "one for each pair of places"
run foresee check --all-pairs many.std
is "$(grep -c '^[0-9]*  data race' out)" 9 "--all-pairs"
is "$(sed -n 's/^\([0-9]*\)  data race.*/\1/p' out | tr '\n' ' ')" "1 2 3 4 5 6 7 8 9 " \
	"are numbered"

# Single analyses.
run foresee check -a hb hidden.std
is "$status" 0 "hb does not see it"
has out '^no race found\.' "and does not say that there is none"
has out '^  That is no proof:' "but that it is no proof"
run foresee check -a hb many.std
is "$status" 1 "hb finds an open one: status"
has out '^1  data race on x +warning$' "as a warning"
has out '^   only a warning: ' "that says why"
has out '^1 finding \(1 race; warning only\)\.' "and is counted as one"
run foresee check -a shb many.std
has out 'predicted, certified$' "shb: a run is found for its races"
for a in syncp osr exact races; do
	run foresee check -a $a hidden.std
	is "$status" 1 "$a finds it"
	has out 'predicted, certified$' "$a: certified"
	run foresee check -a $a clean.std
	is "$status" 0 "$a: clean"
done
run foresee check -a hb,wcp,syncp,eraser,syncp many.std
is "$(grep -c '^[0-9]*  data race' out)" 1 "several analyses, one finding"
has out 'predicted, certified$' "the surest"

# A read that decides nothing may see another value.
cat >dep.std <<'EOT'
#fmt 1
T1|w(x)|1
T1|acq(m)|2
T1|r(c)~|3
T1|w(c)<3|4
T1|rel(m)|5
T2|acq(m)|6
T2|r(c)~|7
T2|w(c)<7|8
T2|rel(m)|9
T2|w(x)|10
EOT
run foresee check dep.std
is "$status" 1 "a counter does not order: status"
has out '^   1 read may see another value than in the observed run' "is said"
has out '^     event 7, T2: read of c  :7$' "and which"
run foresee check --strict dep.std
is "$status" 0 "--strict: it does"

# Several traces, reports in files, witnesses.
run foresee check hidden.std clean.std
is "$status" 1 "two traces: the worse status"
has out '^clean.std:$' "each under its name"
run foresee check clean.std gone.std hidden.std
is "$status" 2 "one missing makes 2"
has out 'data race on x' "the others are still looked at"
run foresee check -q -o report hidden.std
is "$status" 1 "-o: status"
is "$(cat out)" "" "-o: nothing on stdout"
same report first "-o: the report"
run foresee check --witness-dir d/e hidden.std
has out '^   verify it:  foresee verify hidden.std d/e/1.witness$' "what to type next"
ok "the witness is one" foresee verify hidden.std d/e/1.witness
has out '^certified' "in words"
run foresee check --color=always hidden.std
has out $'\033\[31mpredicted, certified' "--color=always colours"
if [ -w /dev/full ]; then
	foresee check hidden.std >/dev/full 2>err
	is "$?" 2 "a full disk: status"
	foresee check -o /dev/full hidden.std 2>err
	is "$?" 2 "a full disk under -o: status"
	has err "^foresee: cannot write '/dev/full': No space left" "a full disk under -o: message"
fi

# Mistakes that would cost something.
cp hidden.std kept.std
run foresee check -o kept.std kept.std
is "$status" 2 "-o onto the trace: status"
same kept.std hidden.std "the trace is still there"
has err "^foresee: the report would overwrite 'kept.std'$" "and why"
run foresee check --witness-dir kept.std hidden.std
is "$status" 2 "--witness-dir is a file: status"
is "$(cat out)" "" "found out before the analysis"

# Input that is wrong.
printf 'T1|w(x)|1\nT1|rel(m)|2\n' >bad.std
run foresee check bad.std
is "$status" 2 "an ill-formed trace: status"
has err "^foresee: bad.std:2:" "and where"
is "$(cat out)" "" "no report"
run sh -c 'foresee check - <bad.std'
has err "^foresee: \(standard input\):2:" "standard input is named as such"
run foresee check --lenient bad.std
is "$status" 0 "--lenient: status"
has err '^foresee: note: ' "--lenient: a note"

# Ctrl-C: what is known by then is printed, with a word about it.
awk 'BEGIN {
	for (i = 0; i < 1000000; i++)
		printf "T%d|acq(m)|1\nT%d|w(x)|2\nT%d|r(x)|3\nT%d|rel(m)|4\n", i%4, i%4, i%4, i%4
}' >long.std
# As soon as it listens; bash lets what runs in the background ignore SIGINT.
interrupted() {
	env --default-signal=INT foresee check "$@" &
	while kill -0 $! && ! { grep -qx foresee /proc/$!/comm &&
		grep -q '^SigCgt:.*[2367abef]$' /proc/$!/status; }; do
		sleep 0.01
	done
	kill -INT $!
	wait $!
}
run interrupted long.std
is "$status" 3 "Ctrl-C: status"
has out '^no race or deadlock found, but not everything was looked at' "nothing is called clean"
has out '^not complete: interrupted after event [0-9]+$' "and why"
has err '^foresee: stopping; .*Ctrl-C again ends at once$' "it is answered at once"
cat >swap.std <<'EOT'
T1|acq(m)|1
T1|w(y)|2
T1|w(x)|3
T1|rel(m)|4
T2|acq(m)|5
T2|w(y)|6
T2|rel(m)|7
T2|w(x)|8
EOT
run foresee check --budget 1 swap.std
is "$status" 3 "a budget that ran out: status"
has out '^not complete: .*budget' "is told"
has out '^  a larger --budget N' "with what to do"

run foresee check -v hidden.std
has err '^foresee: hidden.std: 8 events; reading [0-9.]+ s, model' "-v tells the times"
has err '^  races +[0-9.]+ s$' "of each analysis"

# More events than memory may hold: said, and not called clean.
awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "T%d|w(x%d)|%d\n", i % 2 + 1, i % 2, i % 2 + 1 }' >long.std
run foresee check long.std
is "$status" 0 "a long trace without a race"
FORESEE_MEMORY=1 run foresee check long.std
is "$status" 3 "and with little memory"
has out '^not complete: only the first [0-9]+ events fit in memory' "what was not looked at is said"
has out '^  a shorter run, or -a hb' "with what to do"

# A recording has more to tell: stacks, labels, who allocated it.  Whoever comes first, it is found.
command -v foresee-cc >/dev/null || done_testing
cat >bank.c <<'EOT'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

struct account {
	long id, balance;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void deposit(struct account *a, long n)
{
	a->balance = n;
}

static void *teller(void *arg)
{
	deposit(arg, 5);
	return NULL;
}

static void *auditor(void *arg)
{
	pthread_setname_np(pthread_self(), "auditor");
	pthread_mutex_lock(&m);
	deposit(arg, 7);
	pthread_mutex_unlock(&m);
	return NULL;
}

static __attribute__((noinline)) struct account *account_open(void)
{
	return malloc(sizeof(struct account));
}

int main(void)
{
	struct account *a = account_open();
	pthread_t t[2];

	pthread_create(&t[0], NULL, teller, a);
	pthread_create(&t[1], NULL, auditor, a);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	free(a);
	return 0;
}
EOT
run foresee run bank.c
is "$status" 1 "a recording: status"
has out '^1  data race on account.balance \(8 bytes at \+8 in heap#[0-9]+ of [0-9]+ bytes\) +predicted, certified$' \
	"the field, in its block"
has out '^   T2 +write  bank\.c:12 in deposit +no lock held$' "the first access"
has out '^ +bank\.c:17 in teller$' "and its caller"
has out '^   T3 "auditor"  write  bank\.c:12 in deposit +holds m \(:24\)$' "the second, with its thread's name"
has out '^   heap#[0-9]+ was allocated by T1 at bank\.c:32 in account_open$' "who allocated it"
has out '^1 finding \(1 race\)\.' "nothing else: join and free are in order"
run foresee check -f json bank.foresee
has out '"stack": \[\{"file": ".*bank\.c", "line": 17, "column": [0-9]*, "function": "teller"\}\]' "the stack in JSON"
run foresee run -q --ignore id --trace part.foresee bank.c
is "$status" 1 "left out by request: status"
has out '^1  data race on account.balance .* warning$' "a warning only"
has out '^   only a warning: accesses are missing by request' "that says why"

# A thousand threads alive, of which two race.
cat >many.c <<'EOT'
#include <pthread.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *racy)
{
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	if (racy)
		y++;
	return NULL;
}
int main(void)
{
	pthread_t t[1000];

	for (int i = 0; i < 1000; i++)
		pthread_create(&t[i], NULL, work, i == 3 || i == 900 ? &x : NULL);
	for (int i = 0; i < 1000; i++)
		pthread_join(t[i], NULL);
	return 0;
}
EOT
run foresee run -q --trace many.foresee many.c
is "$status" 1 "a thousand threads: status"
has out '^1  data race on y .* predicted, certified$' "the one race among them"
hasnt out '^2  ' "and no other"
# Cut in half, also between two blocks, which are as short as a thread is.
half=$(($(stat -c %s many.foresee) / 2))
for cut in $half $(seq $((half / 64 * 64)) 64 $((half + 1280))); do
	head -c $cut many.foresee >half.foresee
	timeout 60 foresee check half.foresee >out 2>err
	status=$?
	[ $status -le 1 ] && grep -q '^foresee: note: .* at offset' err &&
		! grep -q '^no race or deadlock in any run' out || break
done
[ $status -le 1 ] && pass "cut in half: read to there" || fail "cut after $cut bytes: status $status"
has err '^foresee: note: .* at offset' "and says what is missing"
hasnt out '^no race or deadlock in any run' "nothing is called clean"
done_testing
