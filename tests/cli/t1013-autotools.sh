#!/usr/bin/env bash
# An autotools project in C and C++ with a libtool library.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
. "$SRC/tests/cli/project.sh"
for tool in autoreconf automake libtoolize; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

plain_directory

project source
cat >configure.ac <<'END'
AC_INIT([counter], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_PROG_CXX
AM_PROG_AR
LT_INIT
AC_CHECK_HEADERS([pthread.h])
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
AM_CFLAGS = -Wall
lib_LTLIBRARIES = libplug.la
libplug_la_SOURCES = plug.cc
bin_PROGRAMS = counter
counter_SOURCES = main.c bank.c
counter_LDADD = libplug.la
END
ok "autoreconf" autoreconf -i
cd ..

for v in $LLVMS; do
	export FORESEE_LLVM=$v
	mkdir auto-$v && cd auto-$v || exit 2
	ok "$v: configure" ../source/configure CC=foresee-cc CXX=foresee-c++ --prefix="$PWD/inst"
	has out 'checking whether the compiler supports GNU C... yes' "$v: taken for a GNU C compiler"
	ok "$v: make" make
	counts ./counter "$v: the program runs"
	ok "$v: make install" make install
	counts inst/bin/counter "$v: the installed program runs"
	instrumented inst/bin/counter "$v: it is instrumented"
	recordable inst/bin/counter "$v: it has the runtime"
	recordable inst/lib/libplug.so "$v: the shared library has it too"
	cd ..
done
done_testing
