# What tests of hostile circumstances share: programs of tests/programs/hostile, recorded by both
# runtimes.  Sourced after lib.sh and compilers.sh.
#
# A program ends with status 0 when all went well for it, and says in its comments what is special:
#
#	// flags: -rdynamic	for the compiler
#	// note: REGEX		the trace tells that (full-note, locks-note: of that runtime)
#	// open			the trace does not hold the whole run (full-open, locks-open)
#	// perhaps open		who knows
#	// only: full		the other runtime has no part in it

hostile=$SRC/tests/programs/hostile
llvm=${LLVMS##*[[:space:]]}

# said FILE KEY MODE: what the comment says, of both runtimes or of this one.
said() {
	sed -nE "s/^\/\/ ($3-)?$2:? ?//p" "$1"
}

# build FILE: ./full and ./locks.
build() {
	local cc=foresee-cc plain=${CC:-cc} flags

	case $1 in *.cpp) cc="foresee-c++ -std=c++17" plain="${CXX:-c++} -std=c++17" ;; esac
	flags=$(said "$1" flags both)
	FORESEE_LLVM=$llvm $cc ${level:--O1} -g -w -pthread "$1" -o full $flags >log 2>&1 &&
		$plain -O1 -g -w -pthread "$1" -o locks $flags >>log 2>&1
}

# recorded NAME MODE FILE ARG...: ran as ever, agrees with itself, has no finding, tells what it should.
# Leaves $NAME.$MODE.foresee, and what check says in `notes'.
recorded() {
	local name=$1 mode=$2 file=$3 trace=$1.$2.foresee option= analyses= want
	shift 3
	if [ "$mode" = locks ]; then
		option=--locks-only analyses="-a deadlocks"
	else
		option=${full_option:-}
	fi
	name="$name ($mode)"
	timeout 60 ./locks "$@" >native.out 2>native.err </dev/null
	rm -f "$trace"
	timeout 60 foresee record $option ${options:-} -o "$trace" "./$mode" "$@" >out 2>err </dev/null
	status=$?
	is "$status" "${expect:-0}" "$name: ends as ever"
	cmp -s native.out out || { fail "$name: prints what it always prints"; note out; }
	timeout 60 foresee verify "$trace" >out 2>notes
	is "$?" 0 "$name: is consistent"
	timeout 60 foresee check $analyses "$trace" >out 2>notes
	is "$?" 0 "$name: nothing is found"
	[ "$status" = 0 ] && ! grep -q internal notes || { note out; note notes; }
	foresee stats "$trace" >stats 2>&1
	want=yes
	grep -Eq "^// ($mode-)?open" "$file" && want=no
	grep -q "^// perhaps open" "$file" || has stats "^  complete $want" "$name: complete: $want"
	while read -r want; do
		[ -z "$want" ] || has notes "$want" "$name: tells: $want"
	done <<<"$(said "$file" note "$mode")"
}

# hostile FILE ARG...: both runtimes.
hostile() {
	local file=$hostile/$1 name=${1%.*} only
	shift
	if ! build "$file"; then
		fail "$name: builds"
		note log
		return
	fi
	only=$(said "$file" only both)
	[ "$only" = locks ] || recorded "$name" full "$file" "$@"
	[ "$only" = full ] || recorded "$name" locks "$file" "$@"
}
