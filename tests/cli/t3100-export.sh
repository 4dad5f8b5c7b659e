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
wrong "^foresee: unknown form 'pascal': expected promela, csp, smt2, std or dot" --to pascal t.std
wrong '^foresee: no trace given' --to promela
wrong '^foresee: more than one trace' --to promela t.std t.std
wrong '^foresee: --strict goes with --to promela, csp or smt2' --to std --strict t.std
wrong '^foresee: --pair goes with --to promela or smt2' --to csp --pair 1,6 t.std
wrong '^foresee: --lattice goes with --to promela or --to dot' --to smt2 --lattice weak t.std
wrong '^foresee: events 1 and 6 are not two conflicting accesses' --to smt2 --pair 1,6 t.std
wrong '^foresee: --variable and --threads go with --to csp' --to promela --variable x t.std
wrong '^foresee: --lattice goes with --to promela or --to dot' --to csp --lattice weak t.std
wrong "^foresee: the trace has no variable 'q'" --to csp --variable q t.std
wrong "^foresee: the trace has no thread 'T9'" --to csp --threads T1,T9 t.std
wrong "^foresee: bad value 'T1' of --threads: expected two threads, as T1,T2" --to csp --threads T1 t.std
wrong '^foresee: --to csp needs a file: it is read twice' --to csp -
for pair in 1 1, 1,1 a,b 0,2 1,2,3 -1,2; do
	wrong "^foresee: bad value '$pair' of --pair" --to promela --pair=$pair t.std
done
wrong '^foresee: events 1 and 6 are not two conflicting accesses' --to promela --pair 1,6 t.std
wrong '^foresee: events 2 and 99 are not two conflicting accesses' --to promela --pair 2,99 t.std
wrong "^foresee: cannot open 'gone'" --to promela gone
for i in $(seq 2001); do echo "T1|w(x)|$i"; done >long.std
wrong '^foresee: too long for a model of this form: .*2000' --to promela long.std
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
wrong '^foresee: --strict goes with --to promela, csp or smt2 without --lattice' --to promela --lattice mvc --strict t.std
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
# Processes: names that CSPM has no letters for, all checks in one file, one by itself, the same text each time.
cat >names.std <<'END'
T1|acq(l)|1
T1|w(a.b)|2
T1|rel(l)|3
T2|w(a.b)|4
T2|w(read)|5
T1|w(read)|6
T2|acq(f.c:m)|7
T2|rel(f.c:m)|8
END
run foresee export --to csp names.std
is "$status" 0 "export --to csp"
has out '^-- a_b_1: a\.b$' "a name with a dot in it, and what it stands for"
has out '^-- read_1: read$' "a name that is a word of the network"
has out '^-- l_1: l$' "or one that an equation calls its parameter"
has out '^-- m: f\.c:m$' "or one with its file"
has out '^PROGRAM_a_b_1 = TINTER_a_b_1' "a network for each variable"
has out '^--   write: event 4, T2.w\(a\.b\).4$' "the accesses, with their places"
is "$(grep -c '^assert' out)" 2 "an assertion for each check"
cp out first
foresee export --to csp names.std >out
same out first "the same text again"
run foresee export --to csp --variable read --threads T2,T1 names.std
is "$(grep -c '^assert' out)" 1 "one variable and two threads"
has out '^PROGRAM = TINTER ' "by the names of the paper"
run foresee export --to csp --strict names.std
has out '^VAR_a_b_1\(w\) = ' "--strict: variables know who wrote them"
printf '#fmt 1\nT1|w(x)|1\nT1|w(x:4)|2\nT2|w(x)|3\n' >wide.std
wrong '^foresee: event 1 touches several variables at once' --to csp --strict wide.std
ok "without data that is no matter" foresee export --to csp wide.std

# Conditions for a solver; tests/smt/run.sh has Z3 judge them.
run foresee export --to smt2 t.std
is "$status" 0 "export --to smt2"
has out '^; .*dependency-aware model' "by the dependency-aware model"
has out '^\(assert \(= bad_2 t_1\)\)' "a write is bad where what feeds it is"
has out 'in_1 Bool.* ; 1: T1.r\(x\)~.1$' "events are told in comments"
is "$(grep -c '^(check-sat)' out)" 3 "a question for each pair"
run foresee export --to smt2 --strict t.std
has out ' strict model\.' "--strict"
hasnt out 't_1' "in which no read is free"
for i in $(seq 2001); do echo "T1|w(x)|$i"; done >long.std
wrong '^foresee: too long for a model of this form: .*2000' --to smt2 long.std
done_testing
