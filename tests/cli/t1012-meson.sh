#!/usr/bin/env bash
# A Meson project in C and C++ with a shared library.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
. "$SRC/tests/cli/project.sh"
command -v meson >/dev/null || skip_all "no meson"

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	project meson-$v
	cat >meson.build <<'END'
project('counter', 'c', 'cpp', default_options: ['warning_level=3', 'werror=true', 'buildtype=debugoptimized'])
threads = dependency('threads')
cc = meson.get_compiler('c')
assert(cc.get_id() == 'clang')
assert(cc.has_function('pthread_create', dependencies: threads))
assert(not cc.has_argument('-fno-such-option'))
plug = shared_library('plug', 'plug.cc')
bank = static_library('bank', 'bank.c', dependencies: threads)
executable('counter', 'main.c', link_with: [bank, plug], dependencies: threads)
END
	ok "$v: setup" env CC=foresee-cc CXX=foresee-c++ meson setup b
	ok "$v: compile" meson compile -C b
	counts b/counter "$v: the program runs"
	instrumented b/counter "$v: it is instrumented"
	recordable b/counter "$v: it has the runtime"
	recordable b/libplug.so "$v: the shared library has it too"
	cd ..
done
done_testing
