#!/usr/bin/env bash
# Programs as they are, recorded under Valgrind: every trace agrees with itself, and what cannot be recorded is
# refused with a reason.  (t2062: what is found.)
. "$(dirname "$0")/../lib.sh"

[ -x "$FORESEE_ROOT/lib/foresee/valgrind/foresee-amd64-linux" ] || skip_all "foresee was built without Valgrind"
programs=$SRC/tests/programs

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@" >said 2>&1; then pass "$name"; else fail "$name"; note said; fi
}

# ---- random programs, stripped ones too ----

gcc -std=gnu11 -O1 -w -o gen "$SRC"/tests/gen/*.c || exit 2
count=6
[ -z "${LONG:-}" ] || count=200
for ((seed = 1; seed <= count; seed++)); do
	./gen "$seed" >random.c
	flags=(-O2)
	[ $((seed % 2)) = 0 ] || flags+=(-s)
	gcc -w -std=gnu11 -g -fno-strict-aliasing -pthread "${flags[@]}" -I"$SRC/tests/gen" random.c -o random
	timeout 200 foresee record -q --valgrind -o random.foresee ./random >out 2>err </dev/null
	foresee verify random.foresee >verify 2>&1
	if grep -q "^seed $seed done" out && grep -Eq 'consistent: [0-9]{3,} events' verify; then
		pass "seed $seed ${flags[*]}"
	else
		fail "seed $seed ${flags[*]}"
		note verify
	fi
done

# ---- memory that is given out again ----

gcc -O1 -g "$programs/valgrind/given.c" -o given -lpthread || exit 2
for i in 1 2 3; do
	foresee record -q --valgrind -o given.foresee ./given
	check "given: what is read was written in the same life ($i)" foresee verify given.foresee
	foresee check -q given.foresee >log
	check "given: nothing is found ($i)" test $? = 0
done

# ---- other kinds of programs ----

cat >small.c <<'END'
#include <pthread.h>
int x;
static void *worker(void *arg) { x++; return arg; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, worker, NULL);
	pthread_create(&u, NULL, worker, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 7;
}
END
gcc -O2 -g small.c -o small -lpthread && gcc -O2 -static small.c -o static -lpthread && g++ -O2 -s -x c++ small.c -o cxx -lpthread || exit 2
for p in small static cxx; do
	foresee record -q --valgrind -o "$p.foresee" "./$p"
	check "$p: its status is passed on" test $? = 7
	check "$p: the trace is consistent" foresee verify "$p.foresee"
	foresee check -q -a races "$p.foresee" >log
	check "$p: its race is found" test $? = 1
done
foresee check -q -a races static.foresee >log
check "static: a warning" grep -q 'only a warning: no call that synchronises was seen, as of a statically linked' log
check "static: nothing is predicted" sh -c '! grep -q predicted log'
foresee check -q -a races small.foresee >log
check "small: predicted" grep -q 'predicted, certified' log
foresee run -q --valgrind ./small >log 2>&1
check "run --valgrind finds it" grep -q 'data race on x ' log
check "and where" grep -q 'small.c:3 in worker' log
foresee replay small.foresee 1 >log 2>&1
check "a replay is refused" test $? = 2
check "and it says why" grep -q 'recorded with --valgrind' log

# One thread unmaps a library, and the other maps it at the same place: what is only read there is mapped anew, too.
cat >opens.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
static void *user(void *path)
{
	dlclose(dlopen(path, RTLD_NOW));
	return path;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, user, "./opened.so");
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
END
echo 'int opened;' >opened.c
gcc -O1 -g opens.c -o opens -lpthread && gcc -shared -fPIC opened.c -o opened.so || exit 2
foresee run -q --valgrind ./opens >log 2>&1
check "a library that two threads load and unload: nothing is found" test $? = 0

# The kernel writes how long an address is.
cat >lengths.c <<'END'
#include <pthread.h>
#include <sys/socket.h>
struct sockaddr_storage where;
socklen_t n[2];
static void *ask(void *arg)
{
	int s = socket(AF_UNIX, SOCK_DGRAM, 0), size;
	n[0] = sizeof(where);
	n[1] = 2 * sizeof(size);
	getsockname(s, (struct sockaddr *)&where, &n[0]);
	getsockopt(s, SOL_SOCKET, SO_TYPE, &size, &n[1]);
	return n[0] != sizeof(where) && n[1] == sizeof(size) ? arg : &where;
}
int main(void)
{
	pthread_t t;
	void *end;
	pthread_create(&t, 0, ask, 0);
	pthread_join(t, &end);
	return end != 0;
}
END
gcc -O1 lengths.c -o lengths -lpthread || exit 2
foresee record -q --valgrind -o lengths.foresee ./lengths
check "lengths of addresses: recorded" test $? = 0
check "lengths of addresses: who writes them" foresee verify lengths.foresee

# Valgrind's list of libraries to preload has no blanks or colons.
mkdir "a path: with" temporary && cp -r "$FORESEE_ROOT/bin" "$FORESEE_ROOT/lib" "a path: with"
TMPDIR=$PWD/temporary "a path: with/bin/foresee" record -q --valgrind -o path.foresee ./small
check "from a path with a blank and a colon" test $? = 7
check "its trace is whole" foresee verify path.foresee
check "it leaves nothing behind" rmdir temporary

# ---- what cannot be ----

# refuses NAME WORDS COMMAND...
refuses() {
	local name=$1 words=$2
	shift 2
	"$@" >out 2>err
	check "$name: refused" test $? = 125
	check "$name: the reason" grep -q -- "$words" err
}
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' >old && head -c 100 /dev/zero >>old
cp small other && printf '\267' | dd of=other bs=1 seek=18 conv=notrunc status=none
cp small privileged
chmod +x old other && chmod u+s privileged
mkdir -p none another && ln -sf "$(command -v sh)" none/sh && cp none/sh another/ 2>/dev/null
printf '#!/bin/sh\necho valgrind-3.99.0\n' >another/valgrind && chmod +x another/valgrind
foresee=$(command -v foresee)
refuses "a 32-bit program" "32-bit program" foresee record --valgrind ./old
refuses "one for another machine" "not a program for x86-64" foresee record --valgrind ./other
refuses "a setuid program" "is setuid or setgid" foresee record --valgrind ./privileged
refuses "no Valgrind" "Valgrind is not installed: 'apt-get install valgrind'" env PATH="$PWD/none" "$foresee" record --valgrind ./small
refuses "another Valgrind" "is another one (valgrind-3.99.0)" env PATH="$PWD/another" "$foresee" record --valgrind ./small
foresee record --valgrind --locks-only ./small >out 2>err
check "not with --locks-only" grep -q -- "--valgrind goes without --locks-only" err
done_testing
