#!/usr/bin/env bash
# Blocks that can be split: the report, JSON, witnesses good and spoilt, suppressions, what is said when
# nothing is found.
. "$(dirname "$0")/../lib.sh"

cat >bank.std <<'EOT'
#fmt 1
T1|begin(withdraw)|bank.c:29
T1|acq(m)|bank.c:30
T1|r(balance)~|bank.c:31
T1|rel(m)|bank.c:32
T1|acq(m)|bank.c:36
T1|w(balance)<3|bank.c:38
T1|rel(m)|bank.c:39
T1|end|bank.c:40
T2|acq(m)|bank.c:50
T2|w(balance)|bank.c:51
T2|rel(m)|bank.c:52
EOT
run foresee check -a atomicity bank.std
is "$status" 1 "a split block: status"
has out '^1  atomicity of withdraw \(block at bank\.c:29\) on balance +predicted, certified$' "title"
has out '^   T1  read   bank\.c:31 +holds m \(:30\)$' "the first access"
has out '^   T2  write  bank\.c:51 +holds m \(:50\)$' "what comes between"
has out '^   T1  write  bank\.c:38 +holds m \(:36\)$' "the last one"
has out "^   T2's write comes between: lost update$" "what it is called"
has out '^   to prevent it: hold m from bank\.c:30 to bank\.c:38 without a break$' "what would prevent it"
has out '^ +10 +write  balance  :51$' "the run"
has out '^1 finding \(1 split block\)\. 1 candidate pattern of places: 1 predicted\.$' "the summary"
has out '^how to read this: foresee help atomicity$' "where to read on"
# What is read decides only behind the unlock; or nothing depends on it.
sed 's/w(balance)<3/w(balance)=70/; s/r(balance)~/&=100/; s/w(balance)|bank.c:51/w(balance)=0|bank.c:51/
	s/^T1|rel(m)|bank.c:32/&\nT1|use<3:ge:30|bank.c:34/' bank.std >check.std
run foresee check -a atomicity check.std
has out "comes between: stale check$" "a comparison behind the unlock is a check"
sed '/|use</d' check.std >none.std
run foresee check -a atomicity none.std
has out "comes between: the value was read before, and is old$" "without it nothing says so"
run foresee help atomicity
is "$status" 0 "help atomicity"
has out '^How sure$' "which explains"

run foresee check -a atomicity -f json bank.std
has out '"kind": "atomicity", "analysis": "atomicity", "status": "predicted", "certified": true' "JSON: what"
has out '"events": \[3, 6, 10\]' "JSON: events in trace order"
has out '"pattern": "RWW", "block": \{"kind": "marked", "thread": "T1", "first": 1, "last": 8, "name": "withdraw"\}' "JSON: the block"
has out '"order": \[1, 2, 3, 4, 9, 10, 11, 5, 6\]' "JSON: the order holds them, once"

# A read-write lock: two that read do not keep each other out, and who reads cannot go on to write.
# prevented WORDS FIRST SECOND OTHER ACCESS...: how the block and the other take it; first and second access, those of
# the other.
prevented() {
	local words=$1 one=$2 two=$3 other=$4 a=$5 c=$6
	shift 6
	{
		printf '#fmt 1\nT1|begin|1\n'
		printf "T1|${one}acq(l)!write|2\nT1|$a|3\nT1|${one}rel(l)!write|4\n"
		printf "T1|${two}acq(l)!write|5\nT1|$c|6\nT1|${two}rel(l)!write|7\nT1|end|8\n"
		printf "T2|${other}acq(l)!write|9\n"
		printf 'T2|%s|10\n' "$@"
		printf "T2|${other}rel(l)!write|11\n"
	} | sed '/racq\|rrel/s/!write//' >l.std
	run foresee check -a atomicity l.std
	has out "^   to prevent it: hold l $words" "prevented: $words"
}
prevented 'for writing from' r '' '' 'r(x)~' 'w(x)' 'w(x)'
prevented 'for reading from' r r '' 'r(x)' 'r(y)' 'w(x)' 'w(y)'
prevented 'for writing from' '' '' r 'w(x)' 'w(y)' 'r(x)~' 'r(y)~'
prevented 'from' '' '' '' 'r(x)~' 'w(x)' 'w(x)'

# Who asks whether somebody came between, or waits for his turn: no finding, if it is an atomic read of which
# nothing comes but that.
cat >seqlock.std <<'EOT'
#fmt 1
T1|begin|1
T1|ar(seq)|2
T1|ar(x)|3
T1|ar(y)|4
T1|ar(seq)!looks|5
T1|end|6
T2|rmw(seq)~|7
T2|aw(x)|8
T2|aw(y)|9
T2|rmw(seq)~|10
EOT
cat >ticket.std <<'EOT'
#fmt 1
T1|begin|1
T1|rmw(next)|2
T1|ar(serving)!looks|3
T1|aw(serving)|4
T1|end|5
T2|begin|6
T2|rmw(next)|7
T2|ar(serving)!looks|8
T2|end|9
EOT
cat >spin.std <<'EOT'
#fmt 1
T1|begin|1
T1|rmw(l)!cas!looks|2
T2|begin|3
T2|r(l)@seq_cst!cas!looks|4
T2|r(l)@seq_cst!cas!looks|4
T1|aw(l)|5
T1|end|6
T2|rmw(l)!cas!looks|4
T2|aw(l)|7
T2|end|8
EOT
for lock in seqlock ticket spin; do
	run foresee check -q -a atomicity $lock.std
	is "$status" 0 "$lock: looked out for"
	sed 's/!looks//; s/!cas//' $lock.std >$lock-not.std
	run foresee check -q -a atomicity $lock-not.std
	is "$status" 1 "$lock: and if not"
done
sed '/rmw(seq)/d' seqlock.std >untold.std
run foresee check -q -a atomicity untold.std
is "$status" 1 "looking again is of no use where nobody tells"
sed 's/ar(seq)/r(seq)/' seqlock.std >plain.std
run foresee check -q -a triples plain.std
is "$status" 1 "of a read that is not atomic it is not believed"

# The proof stands alone.
run foresee check -q -a atomicity --witness-dir proofs bank.std
run foresee verify bank.std proofs/1.witness
is "$status" 0 "verify"
has out '^certified: atomicity of events 3, 6 and 10' "what is certified"
# spoil NAME SED MESSAGE: the witness, changed, is refused, and why.
spoil() {
	sed "$2" proofs/1.witness >spoilt
	run foresee verify bank.std spoilt
	is "$status" 1 "$1: refused"
	has out "$3" "$1: why"
}
spoil "after the block" 's/^T1:1-4.*/T1:1-7 9 10/' 'the other does not come between'
spoil "two accesses" 's/^target.*/target 3 10/' 'atomicity is of three or four events'
spoil "no access" 's/^target.*/target 3 5 10/' 'a target is no access to memory'
spoil "not in the order" 's/^T1:1-4.*/T1:1-4/' 'a target is not in the order'
spoil "one thread" 's/^target.*/target 3 6 6/' 'not accesses of two threads'
sed 's/begin(withdraw)/opaque/; /|end|/s/end/opaque/' bank.std >open.std
sed '/^trace/d' proofs/1.witness >any
run foresee verify open.std any
is "$status" 1 "without a block: refused"
has out 'are not in one block' "without a block: why"

# Other kinds; one lock held all the way; one place told once.
sed 's/rel(m)|bank.c:32/use/; s/acq(m)|bank.c:36/use/; s/|use|*$/|opaque|1/; s/|use$/|opaque|1/' bank.std >held.std
run foresee check -a atomicity held.std
is "$status" 0 "one section: nothing"
has out '^no split block ' "which is said"
run foresee check -a races,atomicity held.std
has out '^no race or split block ' "beside others"
echo 'atomicity:variable:balance' >known
run foresee check -a atomicity --suppress known bank.std
is "$status" 0 "suppressed: status"
has out '^1 suppressed:$' "suppressed"

# A race of two of the places says it too, and is one finding.
sed '/acq\|rel/d; s/<3//; s/~//' bank.std >racy.std
run foresee check -a races,atomicity racy.std
has out '^   and it splits withdraw \(block at bank\.c:29\), which is meant to be atomic$' "a race says it"
hasnt out '^[0-9]+  atomicity of' "and it is not told again"
run foresee check -a atomicity racy.std
has out '^1  atomicity of withdraw' "unless races are not looked for"

# Two variables: both are named, whatever comes first in the run.
cat >sum.std <<'EOT'
#fmt 1
T2|begin(move)|bank.c:9
T2|r(checking)|bank.c:10
T2|w(checking)|bank.c:11
T1|begin(sum)|bank.c:1
T1|r(checking)~|bank.c:2
T1|r(savings)~|bank.c:3
T1|end|bank.c:4
T2|r(savings)|bank.c:12
T2|w(savings)|bank.c:13
T2|end|bank.c:14
EOT
run foresee check -q -a atomicity sum.std
has out '^1  atomicity of move \(block at bank\.c:9\) on checking and savings ' "two variables: title"
has out "^   T1's accesses come between: mixed state\$" "two variables: what it is called"
run foresee check -q -a atomicity -f json sum.std
has out '"objects": \["checking", "savings"\]' "two variables: JSON has both"

# Of more than are told the ones that are early in the run: v60 is split first, though v1 is met first.
awk 'BEGIN {
	for (i = 1; i <= 60; i++)
		print "T1|r(v" i ")|1"
	for (i = 60; i >= 1; i--) {
		l = 10 * i
		print "T1|begin|" l "\nT1|r(v" i ")|" l + 1 "\nT1|w(v" i ")|" l + 2 "\nT1|end|" l + 3
		print "T2|w(v" i ")|" l + 4
	}
}' >many.std
run foresee check -q -a atomicity -f json many.std
is "$(grep -o '"object": "v[0-9]*"' out | sort -u | wc -l)" 50 "of sixty split blocks fifty are told"
has out '"object": "v60"' "with the earliest one"
hasnt out '"object": "v1"' "and not the last one"

# The recorded run itself: a warning.
cat >observed.std <<'EOT'
T1|begin|a.c:1
T1|r(x)|a.c:2
T2|w(x)|b.c:1
T1|w(x)|a.c:3
T1|end|a.c:4
EOT
run foresee check -a aerodrome observed.std
is "$status" 1 "aerodrome: status"
has out '^1  atomicity of the block at a\.c:1 +warning$' "aerodrome: a warning"
has out '^   T1  write  a\.c:3 ' "aerodrome: where it was split"
run foresee check -a aerodrome bank.std
is "$status" 0 "aerodrome: only what happened"
has out '^  -a atomicity decides more\.$' "and what looks further"
done_testing
