#!/usr/bin/env bash
# What cannot be recorded is refused in words; a missing compiler is named.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

echo 'int main(void) { return 0; }' >main.c
foresee-cc -c main.c

# refused REGEX ARGS...
refused() {
	local want=$1
	shift
	run foresee-cc "$@"
	is "$status" 1 "$*: status"
	has err "^foresee-cc: error: $want" "$*: says why"
}

refused '-static: a static program cannot be recorded' -static main.c
refused '-static: a static program cannot be recorded' -static main.o -o prog
refused '-static-pie: a static program cannot be recorded' -static-pie main.c
refused '-fsanitize=thread cannot be combined' -fsanitize=thread main.c
refused '-fsanitize=address cannot be combined' -c -fsanitize=undefined,address main.c
refused '-m32: only x86-64' -m32 -c main.c
ok "-static without linking is harmless" foresee-cc -static -c main.c
ok "-static-libgcc is not -static" foresee-cc -static-libgcc main.c
ok "a sanitizer taken back" foresee-cc -fsanitize=address -fno-sanitize=address main.c -o back
ok "one that does not mind" foresee-cc -fsanitize=undefined -fsanitize-trap=undefined main.c -o ubsan
ok "-static with a question" foresee-cc -static --version

refused "bad LLVM version 'twelve'" --foresee-llvm=twelve main.c
refused "bad LLVM version '13'" --foresee-llvm=13 main.c
FORESEE_LLVM=99 refused "bad LLVM version '99'" main.c

# A build of its own, with the passes but no compilers on PATH.
mkdir -p there/bin there/lib/foresee tools
cp "$FORESEE_ROOT/bin/foresee-cc" there/bin
PATH=$PWD/there/bin:$PATH refused "no compiler pass in '$PWD/there/lib/foresee'; build foresee" main.c
first=${LLVMS%%[[:space:]]*}
cp "$FORESEE_ROOT/lib/foresee/pass-$first.so" there/lib/foresee
PATH=$PWD/there/bin:$PWD/tools:/bin.none
run foresee-cc main.c 2>/dev/null
PATH=/usr/local/bin:/usr/bin:/bin
is "$status" 1 "no compiler: status"
has err "no clang-$first on PATH; install the Debian package clang-$first" "no compiler: names the package"
for n in 14 15 16 17 18 19 20; do
	case " $(echo $LLVMS) " in
	*" $n "*) ;;
	*) absent=$n ;;
	esac
done
PATH=$PWD/there/bin:/usr/local/bin:/usr/bin:/bin
if [ "${absent-}" ]; then
	refused "no clang-$absent on PATH|no '.*pass-$absent.so'" --foresee-llvm=$absent main.c
fi
done_testing
