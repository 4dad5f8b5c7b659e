#!/usr/bin/env bash
# The program that is replayed must be the one that was recorded, and so must its libraries.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

mkdir 'a lib'
cat >'a lib/part.c' <<'END'
int shared;
void part(int n) { shared = n; }
END
cat >main.c <<'END'
#include <pthread.h>
void part(int n);
static void *f(void *arg) { part(1); return arg; }
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, f, NULL);
	part(2);
	pthread_join(t, NULL);
	return 0;
}
END
# build PROGRAM-FLAGS LIBRARY-FLAGS
build() {
	foresee-cc -g $2 -shared -fPIC 'a lib/part.c' -o 'a lib/libpart.so' &&
		foresee-cc -g $1 -pthread main.c -o main 'a lib/libpart.so' -Wl,-rpath,"$PWD/a lib" || exit 2
}
# tried STATUS NAME [ARGS]
tried() {
	run timeout 60 foresee replay --stop "${@:3}" main.foresee 1
	is "$status" "$1" "$2"
}
# refused NAME REGEX
refused() {
	tried 125 "$1: refused"
	has err "$2" "$1: says which, and what to do"
	is "$(cat out)" "" "$1: was not run"
}

anew="was built anew since the recording \(it has another build id\).*: record it again, or try 'foresee replay --anyway'"
build -O1 -O1
ok "recorded" foresee record -q -o main.foresee ./main
tried 0 "as recorded"
build -O1 -O1
tried 0 "built again, and the same"
build -O0 -O1
refused "other -O" "^foresee: '$PWD/main' $anew"
tried 0 "--anyway: tried" --anyway
build -O1 -O1
sed -i 's/part(2)/part(3)/' main.c
build -O1 -O1
refused "changed source" "^foresee: '$PWD/main' $anew"
cp main other && sed -i 's/part(3)/part(2)/' main.c && build -O1 -O1
run timeout 60 foresee replay --stop main.foresee 1 -- ./other
is "$status" 125 "other program: refused"
has err "^foresee: './other' $anew" "other program: says so"
cp main other
run timeout 60 foresee replay --stop main.foresee 1 -- ./other
is "$status" 0 "a copy of the program will do"
build -O1 -O0
refused "other library" "^foresee: '$PWD/a lib/libpart.so' $anew"
mv 'a lib/libpart.so' gone.so
refused "library gone" "^foresee: '$PWD/a lib/libpart.so', which was recorded, is not there any more: put it back"
build -O1 -O1
mv main gone
refused "program gone" "^foresee: the recorded program '$PWD/main' is not there any more"
mv gone main
tried 0 "all back"

# Without build ids their times must do.
build '-O1 -Wl,--build-id=none' '-O1 -Wl,--build-id=none'
ok "no build id: recorded" foresee record -q -o main.foresee ./main
tried 0 "no build id: replayed"
touch -d '+1 hour' main
refused "no build id, newer" "^foresee: '$PWD/main' was written after the recording, and has no build id"

# All findings of a report: each says so.
build -O1 -O1
foresee record -q -o main.foresee ./main
build -O0 -O1
run timeout 60 foresee check -q --replay main.foresee
is "$status" 1 "check --replay: findings"
has out " predicted, certified\$" "check --replay: stays predicted"
has out "'$PWD/main' $anew" "check --replay: and says why"
done_testing
