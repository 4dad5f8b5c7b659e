#!/usr/bin/env bash
# A make project: library, program and a plug-in, built with CC=foresee-cc.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
. "$SRC/tests/cli/project.sh"

cat >Makefile.project <<'END'
CFLAGS = -O2 -Wall -Werror -MMD
all: counter plain libplug.so
libbank.a: bank.o
	$(AR) rcs $@ $^
counter: main.o libbank.a plug.o
	$(CXX) $(LDFLAGS) -o $@ $^ -pthread
plain: main.c bank.c plug.o
	$(CC) -O2 main.c bank.c plug.o -o $@ -lpthread -lstdc++
libplug.so: plug.cc
	$(CXX) $(CXXFLAGS) -shared -fPIC -o $@ $<
-include *.d
END

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	project make-$v
	cp ../Makefile.project Makefile
	ok "$v: make" make CC=foresee-cc CXX=foresee-c++ counter plain libplug.so
	counts ./counter "$v: the program runs"
	counts ./plain "$v: the one compiled and linked at once runs"
	instrumented counter "$v: it is instrumented"
	recordable counter "$v: it has the runtime"
	recordable libplug.so "$v: the shared object has it too"
	ok "$v: make again has nothing to do" make -q CC=foresee-cc CXX=foresee-c++ counter libplug.so
	cd ..
done
done_testing
