#!/usr/bin/env bash
# Blocks by function: an attribute, --atomic; blocks that nobody marks: --infer.  Proofs of both stand alone,
# and are forced on the program.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

here=$SRC/tests/programs/atomicity
${CC:-cc} -O1 -c -o order.o "$here/../order.c" || exit 2
build() {
	foresee-cc -g -I"$here" "$@" order.o -lpthread
}

# One thread withdraws; then another one sets the balance.  A withdrawal is two sections.
cat >bank.c <<'EOT2'
#include "two.h"

MUTEX(m);
static int balance = 100, given;

MARK static void withdraw(int sum)
{
	int enough;

	LOCK(m);
	enough = balance >= sum;
	UNLOCK(m);
	if (enough) {
		LOCK(m);
		balance -= sum;
		UNLOCK(m);
	}
}

/* Each call is one section: whole. */
MARK static void give(void)
{
	LOCK(m);
	given++;
	UNLOCK(m);
}

static void one(void)
{
	give();
	give();
	withdraw(30);
}

static void two(void)
{
	LOCK(m);
	balance = given = 0;
	UNLOCK(m);
}
EOT2

for level in -O0 -O2; do
	build $level -DMARK=FORESEE_ATOMIC bank.c -o marked &&
		timeout 60 foresee record -q -o marked.foresee ./marked
	run foresee check -q -a atomicity marked.foresee
	has out '^1  atomicity of withdraw \(block at bank\.c:6\) on balance ' "$level: a function by its attribute"
	has out '^1 finding ' "$level: and none of one section, called twice"
done

build -O2 -DMARK='__attribute__((noinline))' bank.c -o plain &&
	timeout 60 foresee record -q -o plain.foresee ./plain
run foresee check -q plain.foresee
is "$status" 0 "nothing is marked: nothing is found"
run foresee check -q --atomic give plain.foresee
is "$status" 0 "two calls are two blocks"
run foresee check -q --atomic give --atomic withdraw --witness-dir named plain.foresee
has out '^1  atomicity of withdraw \(call, from bank\.c:10 on\) on balance +predicted, certified$' "--atomic"
has out '^1 finding ' "--atomic: that one"
has named/1.witness '^atomic  withdraw$' "its proof names the functions"
run foresee check -q -a aerodrome --atomic withdraw plain.foresee
is "$status" 0 "aerodrome knows the calls, and nothing happened"
run foresee check -q -f json --atomic withdraw plain.foresee
has out '"block": \{"kind": "marked", "thread": "T2", "first": [0-9]*, "last": [0-9]*, "name": "withdraw"\}' "--atomic: JSON"
run foresee check --atomic '' plain.foresee
is "$status" 2 "--atomic without a name"

run foresee check -q --infer --witness-dir guessed plain.foresee
is "$status" 1 "--infer: status"
has out '^1  atomicity of withdraw \(a guess\) on balance +predicted, certified$' "--infer"
has out '^   taken for a block, since balance is read under a lock, which is given back and taken again to write it$' "--infer: why"
has out '^   to prevent it: hold m from bank.c:10 to bank.c:15 without a break$' "--infer: what would prevent it"
has out '^1 finding ' "--infer: and no other"
run foresee check -q --infer -f json plain.foresee
has out '"block": \{"kind": "split", "score": 70, "thread": "T2", "first": [0-9]*, "last": [0-9]*, "name": null\}' "--infer: JSON"
first=$(grep -o '"first": [0-9]*' out | grep -o '[0-9]*') last=$(grep -o '"last": [0-9]*' out | grep -o '[0-9]*')
run foresee print plain.foresee
has out "^ *$first +T2:[0-9]+ +lock +[^ ]*m " "which begins with the section of its first access"
has out "^ *$last +T2:[0-9]+ +unlock +[^ ]*m " "and ends with that of its last one"
has guessed/1.witness '^block   split$' "its proof names the guess"
for how in named guessed; do
	run foresee verify plain.foresee $how/1.witness
	is "$status" 0 "$how: verify"
	ORDER_OFF= run timeout 60 foresee replay plain.foresee $how/1.witness
	is "$status" 0 "$how: replayed"
	sed '/^block\|^atomic/d' $how/1.witness >less
	run foresee verify plain.foresee less
	is "$status" 1 "$how: without that line it is no proof"
done
sed 's/^block.*/block check/' guessed/1.witness >other
run foresee verify plain.foresee other
has out 'are not what the guess of a block goes by' "another guess: refused"
sed 's/^block.*/block some/' guessed/1.witness >other
run foresee verify plain.foresee other
is "$status" 2 "a kind of block that there is not"
run foresee run -q --infer ./plain
has out '^1  atomicity of withdraw \(a guess\)' "run --infer"

# Sections that are not in each other: what one of them goes through is no guess of two variables.
cat >crossed.std <<'EOT'
#fmt 1
T1|acq(n)|1
T1|w(y)|2
T1|rel(n)|3
T1|acq(m)|4
T1|r(x)~|5
T1|w(x)<5|6
T2|acq(n)|7
T2|acq(l)|8
T2|w(y)|9
T2|rel(n)|10
T2|rmw(x)~@relaxed|11
EOT
# A thread that ends where it repeats reads, without a record, of an update made of what it has read, and that is
# another value here: the searches look further, or find nothing.
cat >repeats.std <<'EOT'
#fmt 1
T1|acq(l)|1
T1|begin|2
T1|w(x)|3
T1|w(z)|4
T1|w(y)|5
T1|w(z)|6
T1|rmw(z)~@seq_cst<7|7
T1|w(z)@relaxed<7|8
T2|w(x)|9
T2|w(y)|10
T2|w(z)|11
T1|rmw(x)~@seq_cst<12|12
T1|fork(T3)|13
T1|rmw(z)~@seq_cst<12|14
T1|w(y)@seq_cst<7|15
T1|r(z)@seq_cst!reread|16
T1|w(z)@seq_cst|17
EOT
# A section that is never left ends with its thread, though another one begins where that was joined.
cat >ended.std <<'EOT'
#fmt 1
T1|r(x)~@seq_cst|1
T1|w(x)<1|2
T1|acq(m)|3
T1|w(x)@relaxed|4
T1|acq(l)|5
T3|join(T1)|6
T3|fork(T2)|7
T3|w(y)@relaxed|8
T3|w(x)@relaxed|9
T3|r(y)|10
T2|r(y)~@seq_cst|11
T2|w(y)<11|12
EOT
for trace in crossed repeats ended; do
	for model in --strict ''; do
		run foresee check -q -a atomicity --infer --all-blocks --all-pairs $model $trace.std
		hasnt out 'warning' "$trace $model: what is found is proven"
		is "$(cat err)" '' "$trace $model: nothing is refused"
	done
done

# What a report says to type means its own findings: with the options that chose them, or the project's.
printed() {
	sed -n "s/^$1: *//p" out
}
run foresee check --no-source --infer --atomic give plain.foresee
next=$(printed 'replay one')
is "$next" 'foresee replay --infer --atomic give plain.foresee 1' "replay: the options, as given"
has out '^keep the proofs: +foresee check --infer --atomic give --witness-dir ' "proofs: the same"
ORDER_OFF= run timeout 60 $next
is "$status" 0 "what is printed can be typed"
has out '^replayed: atomicity of withdraw \(a guess\) on balance' "and means that finding"
printf 'analysis = races\n' >project
FORESEE_PROJECT=$PWD/project run foresee check -a atomicity --infer plain.foresee
next=$(printed 'replay one')
is "$next" 'foresee replay -a atomicity --infer plain.foresee 1' "the project's options are not repeated"
printf 'analysis = atomicity\nformat = sarif\n' >project
ORDER_OFF= FORESEE_PROJECT=$PWD/project run timeout 60 foresee replay --infer plain.foresee 1
is "$status" 0 "replay knows those that choose, and no others"
printf 'analysis = races\n' >project
FORESEE_PROJECT=$PWD/project run foresee replay --infer plain.foresee 1
has err 'there is no finding 1: the report has 0' "they do choose"

# Right: a second look under the lock; a loop that polls; a wait between.
sed 's/balance -= sum;/if (balance >= sum) balance -= sum;/' bank.c >right.c
build -O1 -DMARK= right.c -o right && timeout 60 foresee record -q -o right.foresee ./right
run foresee check -q --infer right.foresee
is "$status" 0 "a second look is right"

# A race that says the same is one finding.
sed '0,/UNLOCK(m);/s///; 0,/\tLOCK(m);/s///' bank.c >racy.c
build -O1 -DMARK= racy.c -o racy && timeout 60 foresee record -q -o racy.foresee ./racy
run foresee check -q --infer racy.foresee
has out '^   and it splits withdraw \(a guess\), which seems meant to be atomic$' "a race says it"
has out '^1 finding \(1 race\)' "and it is one finding"

# One variable in two sections: hardly meant, so only on request.  What comes between: a write, where
# both read; a read, where both write; a write is not looked for between two exchanges.
sections() {
	printf '#fmt 1\nT1|acq(m)|1\nT1|%s(x)|2\nT1|rel(m)|3\nT1|acq(m)|4\nT1|%s(x)|5\nT1|rel(m)|6\n' $1 $3
	printf 'T2|acq(m)|7\nT2|%s|8\nT2|rel(m)|9\n' "$2"
}
for how in 'r w(x) r RWR' 'w r(x)~ w WRW'; do
	set -- $how
	sections $1 $2 $3 >two.std
	run foresee check -q --infer two.std
	is "$status" 0 "$4 in two sections: not by itself"
	run foresee check -q --infer --all-blocks -f json --witness-dir $4 two.std
	has out '"certified": true.*"pattern": "'$4'", "block": \{"kind": "sections", "score": 40,' "$4: with --all-blocks"
	run foresee verify two.std $4/1.witness
	is "$status" 0 "$4: verify"
	sed 's/^block.*/block reread/' $4/1.witness >other
	run foresee verify two.std other
	is "$status" 1 "$4: by another guess it is none"
done
sections rmw 'w(x)' w >two.std
run foresee check -q --infer --all-blocks two.std
is "$status" 0 "a write between two that write is none of these"
sections r 'w(x)' rmw >two.std
run foresee check -q --infer --all-blocks two.std
hasnt out 'warning' "nor one before an exchange"

# Two variables: shown where the other keeps over both a lock that the one takes for each.
# pair NAME FIRST SECOND OTHER...: the one's two sections of m, and all of the other.
pair() {
	local name=$1 first=$2 second=$3
	shift 3
	printf '#fmt 1\nT1|acq(m)|1\nT1|%s|2\nT1|rel(m)|3\nT1|acq(m)|4\nT1|%s|5\nT1|rel(m)|6\n' "$first" "$second" >$name.std
	printf 'T2|%s|9\n' "$@" >>$name.std
}
# guessed NAME SCORE [SHOWN]: what it is worth, and nothing without --all-blocks unless it is SHOWN.
guessed() {
	run foresee check -q --infer -f json -a atomicity $1.std
	if [ -n "${3-}" ]; then
		has out '"pattern": "S", "block": \{"kind": "pair", "score": '$2',' "$1: shown"
	else
		is "$status" 0 "$1: not shown"
	fi
	run foresee check -q --infer --all-blocks -f json -a atomicity --witness-dir $1 $1.std
	has out '"certified": true.*"pattern": "S", "block": \{"kind": "pair", "score": '$2',' "$1: $2"
	run foresee verify $1.std $1/1.witness
	is "$status" 0 "$1: verify"
}
pair kept 'r(x)' 'r(y)' 'acq(m)' 'w(x)' 'w(y)' 'rel(m)'
guessed kept 70 shown
pair apart 'r(x)' 'r(y)' 'acq(m)' 'w(x)' 'rel(m)' 'acq(m)' 'w(y)' 'rel(m)'
guessed apart 40
pair elsewhere 'r(x)' 'r(y)' 'acq(n)' 'acq(m)' 'w(x)' 'rel(m)' 'acq(m)' 'w(y)' 'rel(m)' 'rel(n)'
guessed elsewhere 40
pair told 'r(x)' 'r(y)' 'acq(m)' 'w(x)' 'w(y)' 'signal(c)' 'rel(m)'
guessed told 40
pair told_later 'r(x)' 'r(y)' 'acq(m)' 'w(x)' 'w(y)' 'rel(m)' 'acq(n)' 'signal(c)' 'rel(n)'
guessed told_later 70 shown
pair written 'r(x)' 'w(y)' 'acq(m)' 'w(x)' 'r(y)~' 'signal(c)' 'rel(m)'
guessed written 70 shown
pair handed 'w(x)' 'r(y)' 'acq(m)' 'r(x)' 'w(y)' 'rel(m)'
guessed handed 30
pair taken 'w(x)' 'r(y)' 'acq(m)' 'r(x)~' 'w(y)' 'rel(m)'
guessed taken 60 shown

# What waits is never reached over, and a semaphore waits, though it be used as a mutex.
{
	printf '#fmt 1\n'
	for e in 'acq(m)' 'r(x)' 'semwait(s)' 'sempost(s)' 'rel(m)' 'acq(m)' 'w(x)' 'rel(m)'; do
		echo "T1|$e|$((++line))"
	done
	# It is a mutex only if another one waits and posts, too.
	for e in 'semwait(s)' 'sempost(s)' 'acq(m)' 'w(x)' 'rel(m)'; do
		echo "T2|$e|$((++line))"
	done
} >waits.std
run foresee check -q --infer --all-blocks waits.std
is "$status" 0 "a semaphore between the two"
sed '/sem/d' waits.std >goes.std
run foresee check -q --infer goes.std
is "$status" 1 "and none between them"

# Where the program marks both, it says itself what belongs together.
sed 's/^T1.*acq(m).*/&\n&/' goes.std | awk -F'|' -v OFS='|' '/^T1.*acq/ && ++n % 2 { $2 = "begin" }
	{ print } /^T1.*rel/ { $2 = "end"; print }' >marked.std
run foresee check -q --infer --all-blocks marked.std
is "$status" 0 "two marked blocks are no guess"
sed '/begin/d; /end/d' marked.std >plain.std
run foresee check -q --infer plain.std
is "$status" 1 "as they are without marks"

# A guess with a run that is in doubt is not worth a look: unseen code runs where memory may hold other values.
cat >doubt.std <<'EOT'
#fmt 1
T1|acq(m)|1
T1|r(x)|2
T1|rel(m)|3
T1|acq(m)|4
T1|w(x)|5
T1|rel(m)|6
T1|aw(y)|7
T2|ar(y)~|8
T2|w(z)<8|9
T2|opaque|10
T2|acq(m)|11
T2|w(x)|12
T2|rel(m)|13
EOT
run foresee check -q --infer doubt.std
is "$status" 0 "a run in doubt: no finding"
has out '1 guessed block may be split, in runs that are in doubt' "but no proof of none"
run foresee check -q --infer --all-pairs doubt.std
has out 'warning$' "a warning with --all-pairs"
sed '/opaque/d' doubt.std >sure.std
run foresee check -q --infer sure.std
has out 'predicted, certified$' "and a finding where nothing is in doubt"

# Calls in text.
printf '#fmt 1\nT1|enter(f)|1\nT1|leave(f)|2\nT1|leave(f)|3\n' >calls.std
run foresee check calls.std
is "$status" 2 "leave without enter: status"
has err 'calls\.std:4:[0-9]*: leave without enter' "leave without enter"
done_testing
