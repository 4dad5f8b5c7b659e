#!/usr/bin/env bash
# Export: what it writes, what it refuses.  tests/spin/run.sh has SPIN judge the models.
. "$(dirname "$0")/../lib.sh"

# wrong REGEX ARGS...
wrong() {
	local want=$1
	shift
	run foresee export "$@"
	is "$status" 2 "export $*: status"
	has err "$want" "export $*: says why"
	is "$(cat out)" "" "export $*: nothing on stdout"
}

cat >t.std <<'END'
#fmt 1
T1|r(x)~|1
T1|w(x)<1|2
T1|acq(m)|3
T1|rel(m)|4
T2|racq(m)!rwlock|5
T2|r(x)|6
T2|rrel(m)!rwlock|7
T2|w(x)|*/8
END

wrong '^foresee: no form given' t.std
wrong "^foresee: unknown form 'pascal': expected promela, std or dot" --to pascal t.std
for form in csp smt2; do
	wrong "^foresee: --to $form is not in this version" --to $form t.std
done
wrong '^foresee: no trace given' --to promela
wrong '^foresee: more than one trace' --to promela t.std t.std
wrong '^foresee: --pair and --strict go with --to promela' --to std --strict t.std
for pair in 1 1, 1,1 a,b 0,2 1,2,3 -1,2; do
	wrong "^foresee: bad value '$pair' of --pair" --to promela --pair=$pair t.std
done
wrong '^foresee: events 1 and 6 are not two conflicting accesses' --to promela --pair 1,6 t.std
wrong '^foresee: events 2 and 99 are not two conflicting accesses' --to promela --pair 2,99 t.std
wrong "^foresee: cannot open 'gone'" --to promela gone
for i in $(seq 2001); do echo "T1|w(x)|$i"; done >long.std
wrong '^foresee: too long for a Promela model: .*2000' --to promela long.std
for i in $(seq 200); do printf 'T1|w(x)|1\nT2|w(x)|1\n'; done >dense.std
wrong '^foresee: more than 20000 conflicting pairs: choose one with --pair' --to promela dense.std
ok "one pair of them" foresee export --to promela --pair 1,2 dense.std

run foresee export --to std t.std
is "$status" 0 "export --to std"
foresee print --std t.std >want
same out want "is what print --std writes"

run foresee export --to promela t.std
is "$status" 0 "export --to promela"
has out 'dependency-aware model' "by the dependency-aware model"
has out '^bit t_1' "a bit for the free read"
has out 'lw_0 = \(\(t_1\) -> BAD : 2\)' "which feeds the write"
has out '\(lw_0 == 2\) -> pc_1\+\+' "a binding read keeps its write"
has out '\(own_0 == 0 && lw_1 == 0\) -> rd_0\+\+' "a lock in read mode"
has out 'defined\(GOAL_2_8\)' "a goal for each pair"
has out '8: T2.w\(x\).\*_8 \*/$' "no name ends a comment"
cp out want
foresee export --to promela - <t.std | sed 's:\t/\* [0-9]*\:.*::' >out
sed -i 's:\t/\* [0-9]*\:.*::' want
same out want "the same from standard input, but for comments"

run foresee export --to promela --strict t.std
has out ' strict model\.' "--strict"
hasnt out '^bit t_' "in which no read is free"
run foresee export --to promela --pair 8,2 t.std
has out '^#define GOAL \(pc_0 == 1 && pc_1 == 3\)' "--pair: the only goal"
hasnt out 'GOAL_' "and no other"

# Deadlocks: a circle of three; tries, readers and a thread's own locks make none.
cat >dead.std <<'END'
#fmt 1
T1|acq(l)|1
T1|acq(m)|2
T1|rel(m)|3
T1|rel(l)|4
T2|acq(m)|5
T2|acq(n)|6
T2|rel(n)|7
T2|rel(m)|8
T3|racq(n)!rwlock|9
T3|acq(l)|10
T3|rel(l)|11
T3|rrel(n)!rwlock|12
T4|acq(m)|13
T4|acq(l)!try|14
T4|rel(l)|15
T4|racq(n)!rwlock|16
END
run foresee export --to promela dead.std
has out '0 pairs of conflicting accesses, 1 circles of locks' "circles of locks"
has out 'defined\(GOAL_2_6_10\)' "a goal for each circle"
has out 'goal\(0, "deadlock 2-6-10"\)' "that is named when it is reached"
wrong '^foresee: events 2 and 14 are not two conflicting accesses, nor two acquires' --to promela --pair 2,14 dead.std
printf 'T1|acq(l)|1\nT1|acq(m)|2\nT1|rel(m)|3\nT1|rel(l)|4\nT2|acq(m)|5\nT2|acq(l)|6\n' >two.std
run foresee export --to promela --pair 6,2 two.std
has out '^#define GOAL \(pc_0 == 1 && pc_1 == 1\)' "--pair of two acquires"
has out 'can deadlock' "says what for"

echo '#fmt 1' >empty.std
ok "an empty trace is a model too" foresee export --to promela empty.std

# Lattices.
wrong "^foresee: unknown lattice 'strong': expected mvc or weak" --to promela --lattice strong t.std
wrong '^foresee: --lattice' --to std --lattice mvc t.std
wrong '^foresee: --pair and --strict go with --to promela without --lattice' --to promela --lattice mvc --strict t.std
wrong "^foresee: cannot open 'gone.spec'" --to promela --lattice mvc -s gone.spec t.std
wrong '^foresee: too long for a Promela model: .*2000 points' --to promela --lattice mvc long.std
ok "of an empty trace" foresee export --to promela --lattice weak empty.std
printf '%s\n' 'T1|acq(m)|1' 'T1|w(x)|2' 'T1|rel(m)|3' 'T2|acq(m)|4' 'T2|r(x)|*/5' 'T2|rel(m)|6' >l.std
run foresee export --to promela --lattice mvc l.std
is "$status" 0 "--lattice mvc"
has out 'foresee: 6 points of 2 lanes, lattice-mvc' "says what it is"
has out ':: d_step \{ c_1 == 0 && c_0 >= 3 -> c_1 = 1; \}' "sections keep their order"
hasnt out 'set_[0-9] == 0' "there are no atomic sets"
has out '5: T2.r\(x\).\*_5 \*/$' "no name ends a comment"
run foresee export --to promela --lattice weak l.std
has out ':: d_step \{ c_1 == 0 && set_0 == 0 && shared_0 == 0 -> c_1 = 1; set_0 = 2; \}' "sections are atomic sets"
printf '#fmt 1\nT1|w(x:4)=1|1\nT2|w(x:4)=0|2\n' >v.std
printf 'shared int x = 0;\nproperty p: ptltl once(x == 1);\nproperty q: ptltl 1 / x == 1;\n' >v.spec
run foresee export --to promela --lattice weak -s v.spec v.std
has out '^#if defined\(PROPERTY_p\)' "a property behind its name"
has out '^#define AFTER_0 v_0 = 1; ' "values after a point"
has out '^#error this property is not in the model: it divides' "what cannot be said is an error, if it is asked for"
done_testing
