#!/usr/bin/env bash
# --locks-only: programs that nobody built for it are recorded, and do not notice; names come from
# their files; what cannot be recorded is refused in words.
. "$(dirname "$0")/../lib.sh"

plain_directory
here=$SRC/tests/programs/locks
${CC:-cc} -O1 -g -pthread "$here/jobs.c" -o jobs || exit 2

# line COMMENT: the line of jobs.c with that comment.
line() {
	grep -n "/\* $1 \*/" "$here/jobs.c" | cut -d: -f1
}

# refused REGEX ARGS...: with 125 and a reason, before anything runs.
refused() {
	local want=$1
	shift
	run foresee record --locks-only "$@"
	is "$status" 125 "record $*: status"
	has err "^foresee: $want" "record $*: says why"
}

# unchanged NAME COMMAND...: prints, on both streams, and ends as ever; the recording agrees with itself.
unchanged() {
	local name=$1
	shift
	"$@" >native.out 2>native.err </dev/null
	native=$?
	run timeout 60 foresee record -q --locks-only -o "$name.foresee" "$@"
	is "$status" "$native" "$name: status"
	same native.out out "$name: prints what it always prints"
	same native.err err "$name: and on stderr"
	run foresee verify "$name.foresee"
	is "$status" 0 "$name: verifies"
	has out '^consistent: ' "$name: consistent"
	foresee stats "$name.foresee" >stats 2>&1
}

# ---- names ----

unchanged jobs ./jobs one 'two words'
has stats '^  complete yes' "jobs: complete"
foresee print --stacks jobs.foresee >printed
has printed "lock  *queue_lock .*jobs.c:$(line take) in take" "a global by its name, an inlined function"
has printed "lock  *lock#1 " "a lock on the heap by number"
has printed "called from .*jobs.c:$(line called) in pusher" "callers, with file and line"
hasnt printed 'libc.so|__libc|start_thread|foresee_locks' "nothing of libc's or ours below them"
run foresee check -a deadlocks jobs.foresee
is "$status" 1 "both orders are found"
has out '^1  deadlock of T2 and T3 on .*warning$' "no more than a warning"
has out 'recorded with --locks-only: accesses that may order these were not seen' "and why"
has out "jobs.c:$(line 'push: job') in push_job" "with the place around an inlined one"
run foresee check -a deadlocks -f json jobs.foresee
has out '"locks_only": true' "JSON says so too"
has out '"object": \["lock#1", "queue_lock"\]|"object": \["queue_lock", "lock#1"\]' "and names the locks"
run foresee run --locks-only --trace jobs.foresee -a deadlocks ./jobs
is "$status" 1 "run records and analyses"

cp jobs plain && strip -g plain
unchanged plain ./plain
foresee print --stacks plain.foresee >printed
has printed 'lock  *queue_lock  *in plain!push_job\+0x[0-9a-f]+$' "without debug information: symbols"
cp jobs bare && strip bare
unchanged bare ./bare
foresee print --stacks bare.foresee >printed
has printed 'lock  *bare\+0x[0-9a-f]+  *in bare\+0x[0-9a-f]+$' "without symbols: offsets"
has printed 'called from in bare\+0x' "and stacks none the less"

# Debug information in a file of its own, found by build id where the system keeps them.
debug=/usr/lib/debug/.build-id
id=$(readelf -n jobs | sed -n 's/.*Build ID: *//p')
if [ -n "$id" ] && [ -w /usr/lib ] && [ ! -e "$debug/${id:0:2}/${id:2}.debug" ]; then
	mkdir -p "$debug/${id:0:2}"
	trap 'rm -f "$debug/${id:0:2}/${id:2}.debug"; rmdir "$debug/${id:0:2}" 2>/dev/null; cd /; rm -rf "$TEST_DIR"' EXIT
	objcopy --only-keep-debug jobs "$debug/${id:0:2}/${id:2}.debug"
	foresee print bare.foresee >printed
	has printed "lock  *queue_lock .*jobs.c:$(line take) in take" "debug information by build id"
	rm -f "$debug/${id:0:2}/${id:2}.debug"
fi
cp /bin/true bare
foresee print bare.foresee >printed
has printed 'in bare\+0x' "another file by now: no names"
rm bare
ok "no file: printed all the same" foresee print bare.foresee
for n in 100 1000 5000 15000; do
	head -c $n jobs >plain
	foresee print plain.foresee >/dev/null 2>err || fail "a file cut at $n"
done

# ---- programs that do unusual things ----

cat >bump.c <<'END'
#include <pthread.h>
void bump(pthread_mutex_t *m, long *count);
void bump(pthread_mutex_t *m, long *count)
{
	pthread_mutex_lock(m);
	++*count;
	pthread_mutex_unlock(m);
}
END
${CC:-cc} -O1 -shared -fPIC bump.c -o libbump.so || exit 2
for flags in -O0 -O2 '-O2 -fno-omit-frame-pointer' '-O2 -no-pie -fcf-protection=none'; do
	${CC:-cc} $flags -g -pthread "$here/corners.c" -o corners || exit 2
	unchanged corners ./corners ./libbump.so
	has stats '^  complete yes' "$flags: complete"
	has stats 'of 1001 threads' "$flags: all threads"
done
foresee print --stacks corners.foresee >printed
has printed 'in libbump.so!bump\+0x' "a library that came and went has names"
ok "deep stacks" test "$(grep -c 'called from .* in deep$' printed)" -gt 1000
has printed 'called from .* in threads|called from .* in work' "and short ones"

# Its own runtime stays quiet.
if command -v foresee-cc >/dev/null; then
	foresee-cc -g -O1 -pthread "$here/jobs.c" -o built
	unchanged built ./built
	has stats '^  memory   0 words' "a program built with foresee-cc: locks only"
	has stats '^  complete yes' "and completely"
fi

# ---- who is recorded ----

printf '#!/usr/bin/env bash\necho "$LD_PRELOAD"; env | grep FORESEE_; ./jobs; exec ./jobs "$@"\n' >script
chmod +x script
unchanged script ./script of mine
foresee print script.foresee >printed
has printed 'queue_lock .* in take' "a script that becomes a program"
is "$(grep -c ' fork ' printed)" 2 "and only what it becomes"
LD_PRELOAD=./libbump.so unchanged script ./script
unchanged env env LD_PRELOAD= ./jobs
has stats ' of 3 threads' "env, and what it runs"
(ulimit -v 4000000; unchanged limited ./jobs; exit $((test_failed != 0))) >limited.tap
ok "with little memory" test $? = 0 -a -s limited.tap

# ---- refusals ----

if ${CC:-cc} -static -o static -x c - <<<'int main(void){return 0;}' 2>/dev/null; then
	refused "'./static' is linked statically; --locks-only needs a dynamically linked program" ./static
	printf '#!%s/static\n' "$PWD" >by-static && chmod +x by-static
	refused "'/.*/static' is linked statically" ./by-static
fi
if ${CC:-cc} -static-pie -o static-pie -x c - <<<'int main(void){return 0;}' 2>/dev/null; then
	refused "'./static-pie' is linked statically" ./static-pie
fi
cp jobs setuid && chmod u+s setuid
refused "'./setuid' is setuid or setgid, or has capabilities" ./setuid
cp jobs small && printf '\1' | dd of=small bs=1 seek=4 conv=notrunc 2>/dev/null
refused "'./small' is a 32-bit program, not one for x86-64" ./small
printf '\3' | dd of=small bs=1 seek=18 conv=notrunc 2>/dev/null
refused "'./small' is a 32-bit program, not one for x86-64" ./small
sed 's|/lib64/ld-linux-x86-64.so.2|/lib/ld-musl-x86_64.so.1\x00\x00\x00|' jobs >musl && chmod +x musl
refused "'./musl' does not use the GNU C library" ./musl
bad=
for n in 16 63 64 65 200 1000; do
	head -c $n jobs >cut && chmod +x cut
	foresee record --locks-only ./cut 2>err
	[ $? = 125 ] || bad="$bad $n"
done
is "$bad" "" "cut anywhere, it is refused"
echo text >text && chmod +x text
refused "'./text' is not an ELF program" ./text
printf '#!/no/such/interpreter\n' >script
refused "cannot find '/no/such/interpreter': No such file" ./script
printf '#!%s/script\n' "$PWD" >script
refused "'./*.*script' is a script of no interpreter" ./script
run foresee record --locks-only --full ./jobs
is "$status" 2 "--full has no meaning here"
has err 'locks-only goes without --full' "and that is said"
mkdir -p away/bin && cp "$FORESEE_ROOT/bin/foresee" away/bin
run away/bin/foresee record --locks-only ./jobs
is "$status" 125 "without the library"
has err "cannot find the lock recorder '/.*/libforesee_locks.so'" "which is said"
mkdir -p 'a b' && cp -r "$FORESEE_ROOT/bin" "$FORESEE_ROOT/lib" 'a b'
mkdir own
TMPDIR=$PWD/own run 'a b/bin/foresee' record --locks-only -o blank.foresee ./jobs
is "$status" 5 "at a place that LD_PRELOAD cannot name: the program is as ever"
has <(foresee stats blank.foresee) '^  acq +[1-9]' "it records all the same"
is "$(ls own)" "" "and leaves nothing behind"
done_testing
