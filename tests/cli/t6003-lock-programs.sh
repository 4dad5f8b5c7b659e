#!/usr/bin/env bash
# Random programs of nested locks, joins and conditions.  Those that cannot hang by construction
# have no predicted finding, however they were recorded.  Of the others every predicted one is
# confirmed: the program itself is run in the order of the witness, and it hangs there.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
gen=$SRC/tests/gen/locks
long=${LONG:-${FORESEE_LONG:-}}
export TMPDIR=$TEST_DIR # where the checker leaves what it refuses
[ -n "$LLVMS" ] || skip_all "no pass was built"

${CC:-gcc} -std=gnu11 -O1 -o locks "$gen/locks.c" && ${CC:-gcc} -O1 -c -o gate.o "$gen/gate.c" &&
	${CC:-gcc} -O1 -o flatten "$SRC/tests/cli/flatten.c" || exit 2
configs=()
for v in $LLVMS; do
	configs+=("$v -O0" "$v -O2")
done

complain() {
	echo "# $*" >>problems
}

# build SEED OPTION...: ./prog, and the order of a run that comes to its end.
build() {
	local config=${configs[$1 % ${#configs[@]}]}

	./locks "${@:2}" "$1" order >p.c || complain "no program"
	FORESEE_LLVM=${config% *} foresee-cc -w -g "${config#* }" -pthread -I"$gen" p.c gate.o -o prog \
		>log 2>&1 || complain "does not build: $(head -1 log)"
}

# analyse SECONDS OPTION...: a recording of ./prog, as the environment says, and its report in `flat'.
analyse() {
	local limit=$1

	shift
	rm -rf p.foresee w
	timeout "$limit" foresee record -q "$@" -o p.foresee ./prog >out 2>err </dev/null
	status=$?
	foresee verify p.foresee >out 2>&1 || complain "the recording: $(head -1 out)"
	timeout 60 foresee check -q -a deadlocks -f json --witness-dir w p.foresee >json 2>err
	[ $? -lt 2 ] && [ ! -s err ] || complain "check: $(head -c 300 err)"
	./flatten <json >flat || complain "no report"
}

# of FINDING MEMBER
of() {
	sed -n "s/^\.findings\.$1\.$2=//p" flat | tr -d '"'
}

found() {
	sed -n 's/^\.findings\.\([0-9]*\)\.status="predicted"$/\1/p' flat
}

# Every one is certified, and then done.  Programs that are to hang take a while to see it.
confirm() {
	local k

	foresee print p.foresee >printed
	for k in $(found); do
		foresee verify p.foresee "w/$(of "$k" id).witness" >out 2>&1 || complain "finding $k: $(cat out)"
		awk -v k="$k" -f "$gen/force.awk" printed flat >"forced.$k"
		{
			GATE_ORDER=forced.$k timeout 20 ./prog >/dev/null 2>&1
			echo $? >"forced.$k.status"
		} &
	done
	wait
	for k in $(found); do
		[ "$(cat "forced.$k.status")" = 0 ] ||
			complain "$(of "$k" kind), finding $k: forced, it ends with $(cat "forced.$k.status")"
		of "$k" kind >>kinds
	done
}

verdict() {
	if [ -s problems ]; then
		fail "$1"
		head -20 problems
	else
		pass "$1"
	fi
	: >problems
}
: >problems
: >kinds

# ---- none of these can hang ----
for ((s = 1; s <= ${long:+292} + 8; s++)); do
	build $s --safe
	for ((i = 0; i < 8; i++)); do
		if [ $i = 0 ]; then
			GATE_ORDER=order analyse 20
		else
			analyse 20 $([ $((i % 3)) = 2 ] && echo --full)
		fi
		[ "$status" = 0 ] || complain "recording $i: status $status"
		[ -z "$(found)" ] || complain "recording $i: $(of "$(found | head -1)" kind) is predicted"
	done
	verdict "cannot hang, program $s: eight recordings"
done

# ---- these can ----
for ((s = 1; s <= ${long:+388} + 12; s++)); do
	build $s
	GATE_ORDER=order analyse 20 $([ $((s % 3)) = 2 ] && echo --full)
	[ "$status" = 0 ] || complain "status $status"
	confirm
	analyse 1 # it may hang
	confirm
	verdict "program $s"
done
sort kinds | uniq -c | sed 's/^/# confirmed:/'
is "$(($(grep -c deadlock kinds) >= 5 && $(sort -u kinds | wc -l) >= 2))" 1 "several were confirmed"
done_testing
