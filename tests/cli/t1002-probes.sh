#!/usr/bin/env bash
# Where nothing is compiled or linked, foresee-cc says what clang says.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

cat >good.c <<'END'
int f(int x) { return x; }
END
cat >bad.c <<'END'
int f(int x) { return y; }
END
echo 'int main(void) { int unused; return 0; }' >warn.c
echo 'f();' >missing.i

# alike NAME ARGS...: same standard output, error output and status as clang.
alike() {
	clang-$v "$@" >want.out 2>want.err </dev/null
	local want=$?
	run foresee-cc "$@"
	is "$status" $want "$v: $*: status"
	same want.out out "$v: $*: output"
	same want.err err "$v: $*: messages"
}

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	alike --version
	alike -v
	alike -dumpversion
	alike -dumpmachine
	alike -print-search-dirs
	alike -print-prog-name=ld
	alike -print-file-name=libc.so
	alike --print-libgcc-file-name
	alike --help
	alike
	alike -c
	alike -c nothere.c
	alike -nonsense -c good.c
	alike -E -P good.c
	alike -M good.c
	alike -MM good.c
	alike -E -x c -P -
	alike -fsyntax-only good.c
	alike -fsyntax-only bad.c
	alike -c bad.c
	alike -Wall -Wextra -c warn.c
	alike -Wall -Werror -c warn.c
	alike -lm -c good.c
	alike -Werror -lm -c good.c
	alike -L/nowhere -rdynamic -c good.c
	alike -Werror=unused-command-line-argument -L/nowhere -c good.c
	alike -Werror -mnonsense-flag -c good.c
	alike -std=c89 -pedantic-errors -c good.c
	alike -x c missing.i -fsyntax-only
	alike @nothere.rsp
	alike -Wl,--version
	alike '-###' -c good.c

	run foresee-cc -E -dM -x c /dev/null
	has out '^#define __FORESEE__ 1$' "$v: __FORESEE__ is defined"
	clang-$v -E -dM -x c /dev/null >want.out
	same <(grep -v __FORESEE__ out) want.out "$v: and nothing else is"
	ok "$v: -MMD" foresee-cc -MMD -MF good.d -c good.c
	is "$(cat good.d)" "good.o: good.c" "$v: the dependency file names nothing of ours"
	mv good.o ours.o
	run foresee-c++ --version
	clang++-$v --version >want.out
	same want.out out "$v: foresee-c++ is clang++"

	# A cache in front of the compiler must not take what another pass has made.
	mkdir -p "cached-$v"
	printf '#!/bin/sh\necho "$CCACHE_EXTRAFILES; $CCACHE_NAMESPACE"\n' >"cached-$v/clang-$v"
	chmod +x "cached-$v/clang-$v"
	CCACHE_EXTRAFILES=/a CCACHE_NAMESPACE=mine PATH=$PWD/cached-$v:$PATH run foresee-cc --foresee-calls=f -c good.c
	is "$(cat out)" "/a:$FORESEE_ROOT/lib/foresee/pass-$v.so; mine f" "$v: ccache is told of the pass"
done
done_testing
