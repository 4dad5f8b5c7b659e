#!/usr/bin/env bash
# What functions of libc leave in memory orders those who see it there: no race is predicted through
# it, be the function modelled or not.  After those that are, all races are still found.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"
here=$SRC/tests/programs/unseen

# Not modelled: what they leave is unknown, and stops whoever reads it.
unseen="printf_n times tcgetattr_fails getservbyname_r swprintf fgetws sincos remquo lgamma_r waitid
posix_spawnp adjtimex confstr mbsrtowcs strtold strtol_l strfromd strfmon ecvt_r memfrob getnameinfo
ether_aton_r getifaddrs erand48 srand48_r statx prlimit pthread_getcpuclockid pthread_attr_getguardsize
syscall scandir open_memstream fmemopen argz_add getsubopt timer_create dladdr getcontext setvbuf"
# Modelled, but that they call back: what the program's function sees meanwhile is unseen code's.
calling="qsort qsort_r lsearch"

${CC:-cc} -O1 -c "$here/../order.c" -o order.o && ${CC:-cc} -O1 -c "$here/unseen_set.c" -o set.o || exit 2
seq 7 400 >lines

# build LEVEL
build() {
	foresee-cc -g "$1" -D_GNU_SOURCE -w -I"$here/.." "$here/libc_writes.c" order.o set.o -o prog -pthread -lm \
		-lrt >log 2>&1 && return
	fail "builds"
	note log
}

# record WHAT [OPTION...] -- ARGUMENT...
record() {
	local what=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	timeout 120 foresee record -q "${options[@]}" -o t.foresee ./prog "${@:2}" <lines >out 2>said
	is "$?" 0 "$what: recorded"
	is "$(grep -c 'nothing seen' said)" 0 "... everything was seen"
	grep 'nothing seen' said | sed 's/^/# /'
	foresee check -q -f json --all-pairs t.foresee >report 2>err
}

predicted() {
	grep -o '"status": *"predicted"' report | wc -l
}

# try MEMORY [OPTION...]
try() {
	local memory=$1
	shift
	record "modelled functions, $memory $*" "$@" -- "$memory" fine but $unseen $calling
	is "$(predicted)" 0 "... nothing is predicted"
	record "modelled functions, $memory $*, with races" "$@" -- "$memory" race but $unseen $calling
	is "$(predicted)" "$(cat out)" "... all of them are"
}

# alone MEMORY NAME [OPTION...]
alone() {
	local memory=$1 name=$2
	shift 2
	record "$name, $memory $*" "$@" -- "$memory" fine "$name"
	is "$(predicted)" 0 "... nothing is predicted"
}

build -O1
try global
for name in ${LONG:+$unseen} printf_n swprintf sincos syscall open_memstream posix_spawnp statx; do
	alone global "$name"
done
record "and a race" -- global race statx
is "$(predicted)" 1 "... is predicted"
for name in $calling; do
	alone global "$name"
	record "$name with a race" -- global race "$name"
	is "$(predicted)" 1 "... which is predicted"
done

[ -z "${LONG:-}" ] || for level in -O0 -O2; do
	build "$level"
	for memory in global calloc malloc; do
		try "$memory"
		try "$memory" --full
		for name in $unseen $calling; do
			alone "$memory" "$name"
		done
	done
done
done_testing
