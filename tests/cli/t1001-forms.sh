#!/usr/bin/env bash
# Every form of command line that build systems use, for each LLVM.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"

mkdir inc
echo '#define ANSWER 42' >inc/answer.h
cat >main.c <<'END'
#include <stdio.h>
#include "answer.h"
int twice(int);
int main(void) { printf("%d\n", twice(ANSWER)); return 3; }
END
cat >twice.c <<'END'
int calls;
int twice(int x) { calls++; return 2 * x; }
END
cat >three.s <<'END'
	.globl three
three:	movl $3, %eax
	ret
	.section .note.GNU-stack,"",@progbits
END
cat >caller.c <<'END'
int three(void);
int main(void) { return three(); }
END
cat >hello.cc <<'END'
#include <iostream>
#include <stdexcept>
int main() { try { throw std::runtime_error("hello"); } catch (std::exception &e) { std::cout << e.what() << "\n"; } }
END
cat >name.c <<'END'
#include <foresee.h>
int main(void) { FORESEE_THREAD_NAME("first"); return 0; }
END

forms() {
	ok "$v: compile" foresee-cc -c -Iinc main.c
	instrumented main.o "$v: compiled code is instrumented"
	ok "$v: compile with -o and separate -I" foresee-cc -Wall -O2 -I inc -c main.c -o m.o
	foresee-cc -c twice.c
	ok "$v: link only" foresee-cc -o prog main.o twice.o
	recordable prog "$v: a linked program has the runtime"
	run ./prog
	is "$status $(cat out)" "3 84" "$v: and runs"
	ok "$v: several sources at once" foresee-cc -Iinc main.c twice.c
	run ./a.out
	is "$status" 3 "$v: a.out runs"
	for o in -O0 -O1 -O2 -O3 -Os -Oz -Og; do
		ok "$v: $o" foresee-cc $o -Iinc main.c twice.c -o prog-o
		instrumented prog-o "$v: $o is instrumented"
	done
	ok "$v: -S" foresee-cc -S twice.c
	has twice.s '\.loc' "$v: -S has line numbers though no -g was given"
	ok "$v: -S -emit-llvm" foresee-cc -S -emit-llvm twice.c -o twice.ll
	has twice.ll 'foresee_' "$v: the IR is instrumented"
	ok "$v: IR in, code out" foresee-cc -c -x ir twice.ll -o ir.o
	ok "$v: -g0 keeps line numbers" foresee-cc -g0 -S twice.c -o g0.s
	has g0.s '\.loc' "$v: -g0 has them"
	ok "$v: -g -gdwarf-5" foresee-cc -gdwarf-5 -g3 -c twice.c -o g5.o
	is "$(readelf --debug-dump=info g5.o 2>/dev/null | sed -n 's/ *Version: *//p' | head -1)" 4 \
		"$v: debug information is DWARF 4"
	ok "$v: from standard input" bash -c 'echo "int main(void) { return 0; }" | foresee-cc -x c - -o stdin-prog'
	instrumented stdin-prog "$v: which is instrumented"
	ok "$v: -xc joined" bash -c 'echo "int x;" | foresee-cc -xc -c - -o /dev/null'
	ok "$v: assembler input" foresee-cc -c three.s -o three.o
	hasnt <(nm three.o) 'foresee_' "$v: assembler stays as it is"
	ok "$v: assembler and C" foresee-cc caller.c three.s -o asm
	run ./asm
	is "$status" 3 "$v: it runs"
	ok "$v: assembler with cpp" foresee-cc -x assembler-with-cpp -c three.s -o three2.o
	ok "$v: preprocessed input" bash -c 'foresee-cc -E -Iinc main.c -o main.i && foresee-cc -c main.i -o i.o'
	instrumented i.o "$v: which is instrumented"

	printf -- '-Iinc -c\n"main.c" -o rsp.o\n' >args.rsp
	ok "$v: response file" foresee-cc @args.rsp
	instrumented rsp.o "$v: its source is instrumented"
	echo '@args.rsp' >outer.rsp
	ok "$v: response file in a response file" foresee-cc @outer.rsp
	echo 'main.o twice.o' >link.rsp
	ok "$v: link by response file" foresee-cc -o prog-rsp @link.rsp
	recordable prog-rsp "$v: it has the runtime"
	ok "$v: after --" foresee-cc -c -o dash.o -- twice.c
	instrumented dash.o "$v: it is instrumented"

	ok "$v: shared object" foresee-cc -shared -fPIC twice.c -o libtwice.so
	recordable libtwice.so "$v: it has the runtime"
	ok "$v: linked against" foresee-cc -Iinc main.c -L. -ltwice -Wl,-rpath,"$PWD" -o prog-so
	run ./prog-so
	is "$status" 3 "$v: it runs"
	ok "$v: no undefined symbols with -z defs" foresee-cc -shared -fPIC -Wl,-z,defs twice.c -o libdefs.so
	ok "$v: -nostdlib shared object" foresee-cc -shared -fPIC -nostdlib twice.c -o libnostd.so
	recordable libnostd.so "$v: it has the runtime"
	ok "$v: static library" bash -c 'rm -f libtwice.a; ar rcs libtwice.a twice.o &&
		foresee-cc -Iinc main.c libtwice.a -o prog-a'
	ok "$v: everything from libraries" bash -c 'rm -f libmain.a; ar rcs libmain.a main.o twice.o &&
		foresee-cc -o prog-l -L. -lmain'
	recordable prog-l "$v: it has the runtime"
	ok "$v: -r" foresee-cc -r main.o twice.o -o both.o
	hasnt <(readelf -d both.o) 'libforesee_rt' "$v: -r has no runtime"
	ok "$v: its result links" foresee-cc both.o -o prog-r
	ok "$v: -lc by name" foresee-cc main.o twice.o -lc -lm -o prog-lc
	is "$(readelf -d prog-lc | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | head -1)" libforesee_rt.so \
		"$v: the runtime comes before libc all the same"
	ok "$v: -pie and -no-pie" bash -c 'foresee-cc -no-pie -fno-pie -Iinc main.c twice.c -o nopie;
		./nopie >/dev/null; test $? = 3'
	ok "$v: header to PCH, and its use" bash -c 'foresee-cc -x c-header inc/answer.h -o answer.h.pch &&
		foresee-cc -include-pch answer.h.pch -Iinc -c main.c -o pch.o'
	ok "$v: -save-temps" bash -c 'mkdir -p st && cd st && foresee-cc -save-temps -I../inc -c ../main.c'

	ok "$v: C++" foresee-c++ hello.cc -o hello
	run ./hello
	is "$status $(cat out)" "0 hello" "$v: C++ runs, exceptions too"
	instrumented hello "$v: C++ is instrumented"
	ok "$v: <foresee.h>" foresee-cc -Wall -Werror name.c -o name
	ok "$v: ... runs" ./name
	ok "$v: ... and links without the runtime" bash -c "clang-$v -I'$SRC/include' name.c -o bare && ./bare"
	if foresee-cc -flto main.o twice.o -o /dev/null 2>/dev/null; then
		ok "$v: -flto" foresee-cc -flto -O2 -Iinc main.c twice.c -o prog-lto
		instrumented prog-lto "$v: -flto is instrumented"
		run ./prog-lto
		is "$status" 3 "$v: -flto runs"
	fi
}

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	forms
done
done_testing
