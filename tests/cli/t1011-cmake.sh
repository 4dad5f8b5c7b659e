#!/usr/bin/env bash
# A CMake project in C and C++ with a shared library.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
. "$SRC/tests/cli/project.sh"
command -v cmake >/dev/null || skip_all "no cmake"

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	project cmake-$v
	cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(counter C CXX)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
add_library(plug SHARED plug.cc)
add_library(bank STATIC bank.c)
target_link_libraries(bank PUBLIC Threads::Threads)
add_executable(counter main.c)
target_link_libraries(counter PRIVATE bank plug)
install(TARGETS counter plug)
END
	ok "$v: configure" env CC=foresee-cc CXX=foresee-c++ cmake -S . -B b -G Ninja \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX="$PWD/inst" \
		-DCMAKE_INSTALL_RPATH="$PWD/inst/lib:$FORESEE_ROOT/lib/foresee"
	has out 'C compiler identification is Clang' "$v: the compiler is taken for clang"
	ok "$v: build" cmake --build b
	counts b/counter "$v: the program runs"
	instrumented b/counter "$v: it is instrumented"
	recordable b/counter "$v: it has the runtime"
	recordable b/libplug.so "$v: the shared library has it too"
	ok "$v: install" cmake --install b
	counts inst/bin/counter "$v: the installed program runs"
	cd ..
done
done_testing
