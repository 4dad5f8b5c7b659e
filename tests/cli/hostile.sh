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
#
# Each test was seen to fail when its handling was taken out of src/:
#
#	circumstance		test	taken out
#	signal handlers		t7500	signal.c: our handler; putting off inside a hook (put_off)
#	  order of signals	t4005	signal.c: TAKE in the handler and in sigwait
#	setjmp, longjmp		t7510	instrument/stack.c: frames restored after setjmp
#	  out of a hook		t7500	jump.c: leave_hook
#	C++ exceptions		t7510	instrument/stack.c: frames restored at landing pads
#	coroutines		t7510	context.c: put_back
#	fork			t7520	fork.c: in_child; tell_child; log_abandon
#	  clone, _Fork, syscall	t7520	fork.c: each wrapper's in_child
#	vfork			t7520	fork.c: fork_is_recorded by pid
#	posix_spawn		t7520	start_full.c: FORESEE_PID
#	exec			t7520	exec.c: go; locks_exec.c: exec_environment; start.c: TRACE.2
#	dlopen			t7530	module.c: units that come late (put_module)
#	dlclose			t7530	module.c: image_count(-1); functions_forget
#	TLS destructors		t7540	create.c: rounds of the key (end_round)
#	pthread_cancel		t7540	create.c: watch_end; cond.c: cond_cancelled
#	main leaves, threads run t7540	start.c: on_exit; file.c: slots MAP_PRIVATE
#	_exit, quick_exit	t7540	start.c: finish in leave, in at_quick
#	abort, SIGSEGV, SIGKILL	t7110	file.c: slots MAP_PRIVATE; log.c: settling
#	out of disk		t2006	file.c: fits; posix_fallocate of slots
#	  with --keep		t7100	file.c: area_begin with fewer areas
#	out of memory		t7111	thread.c: thread_new without memory
#	descriptors closed	t7111	file.c: descriptor_reopen; descriptor.c: close of ours
#	descriptors used up	t7111	file.c: the descriptor is kept open
#	chroot			t7111	descriptor.c: close of ours
#	setuid			t2001	launch/program.c: is_privileged
#	closed stdio		t7550	cli/main.c: fill_streams; its O_CLOEXEC; file.c: descriptor_raise
#	seccomp			t7550	sandbox.c: sandbox_look
#	daemonising		t7520	fork.c: daemon; launch/launch.c: stay_with
#	  owners of locks	t2040	lock.c: lock_forked
#	1000 threads alive	t7560	file.c: more slots (add_extent)
#	  not recorded		t7560	create.c: idle_start
#	100 000 over the run	t7560	file.c: slots used again (8000 without LONG)
#	read, recv, fread, ...	t7570	libc.def: read, fread, fgets, epoll_wait; libc.c: recvmsg
#	unseen libraries	t7530	unseen.c: OPAQUE at calls

hostile=$SRC/tests/programs/hostile
llvm=${LLVMS##*[[:space:]]}

# said FILE KEY MODE: what the comment says, of both runtimes or of this one.
said() {
	sed -nE "s/^\/\/ ($3-)?$2:? ?//p" "$1"
}

# build FILE: ./full and ./locks.  $extra: more flags.
build() {
	local cc=foresee-cc plain=${CC:-cc} flags

	case $1 in *.cpp) cc="foresee-c++ -std=c++17" plain="${CXX:-c++} -std=c++17" ;; esac
	flags="$(said "$1" flags both) ${extra:-}"
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
	timeout 60 foresee verify "$trace" >verified 2>notes
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
