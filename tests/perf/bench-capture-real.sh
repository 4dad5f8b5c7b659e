#!/usr/bin/env bash
# What recording costs real programs: each built and run natively, with clang's thread sanitizer, and
# with foresee, in turn.
#
#	FORESEE_REAL=DIRECTORY bench-capture-real.sh [-k PROGRAM] [-r REPETITIONS]
#
# The directory holds sources that are not part of this project, a folder each; those that are not
# there are left out, and said so:
#
#	zstd		compressor	github.com/facebook/zstd
#	lmdb		database	github.com/LMDB/lmdb
#	memcached	key-value store	github.com/memcached/memcached; libevent is in the folder libevent,
#					installed there, or in the system
#	cpp-httplib	server		github.com/yhirose/cpp-httplib
#
# Builds are kept in its folder .bench; those of foresee are made again when the pass is newer.
# Numbers are wall-clock, and beside them the ratio of processor times (user and system), which other work on the
# machine blurs less; the least of the repetitions; the trace's size is per second of the native run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${FORESEE_ROOT:=$(cd "$here/../.." && pwd)/build}"
PATH=$FORESEE_ROOT/bin:$PATH
export TSAN_OPTIONS='detect_deadlocks=0 report_bugs=0 exitcode=0' LC_ALL=C
target=1.3

only='' reps=3
while [ $# -gt 0 ]; do
	case $1 in
	-k) only=${2-} && shift ;;
	-r) reps=${2-} && shift ;;
	*)
		sed -n 's/^#\tFORESEE/usage: FORESEE/p' "$0" >&2
		exit 2
		;;
	esac
	shift
done
case $reps in '' | *[!0-9]* | 0) echo "bench-capture-real: bad number of repetitions" >&2 && exit 2 ;; esac
if [ -z "${FORESEE_REAL:-}" ]; then
	echo "bench-capture-real: skipped: FORESEE_REAL names no directory with programs (see $0)"
	exit 0
fi
real=$(cd "$FORESEE_REAL" && pwd) || exit 2

dir=$(mktemp -d "${TMPDIR:-/tmp}/foresee-bench.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)

# In a copy of the sources; $CC and $CXX are the compilers.
build_zstd() { make -j2 -C programs zstd CC="$CC" HAVE_LZMA=0 HAVE_LZ4=0 HAVE_ZLIB=0 MOREFLAGS=-g; }
build_lmdb() {
	cd libraries/liblmdb && $CC -w -g -O2 -pthread -I. "$here/real/lmdb.c" mdb.c midl.c -o ../../bench
}
build_memcached() {
	local with=()
	[ -d "$real/libevent" ] && with=(--with-libevent="$real/libevent")
	./autogen.sh && ./configure "${with[@]}" CC="$CC" CFLAGS='-g -O2' && make -j2 memcached
}
build_cpp-httplib() { $CXX -w -g -O2 -pthread -I. "$here/real/httplib.cc" -o bench; }

# In an empty directory, with `under' before the program, which lies in $P.
run_zstd() { under "$P/programs/zstd" -q -f -T2 -B256K -3 "$dir/text" -o out; }
run_lmdb() { mkdir db && under "$P/bench" db 150; }
run_memcached() { serve memcached 4 20000 "$P/memcached" -u root -l 127.0.0.1 -p "$port" -t 4; }
run_cpp-httplib() { serve http 4 3000 "$P/bench" "$port"; }
serve() { # serve PROTOCOL CONNECTIONS REQUESTS SERVER...
	local server status
	under "${@:4}" >server.out 2>&1 &
	server=$!
	"$dir/client" "$port" "$2" "$3" "$1"
	status=$?
	kill -INT $server
	wait $server
	return $status
}

under() {
	case $way in
	native) "$@" ;;
	tsan) "${fixed[@]}" "$@" ;;
	foresee) foresee record -q -o "$dir/trace.foresee" "$@" ;;
	esac
}

# Builds program $name for $way, unless that is done.
build() {
	local to=$real/.bench/$way/$name
	[ -e "$to/.done" ] && { [ $way != foresee ] || [ "$to/.done" -nt "$FORESEE_ROOT/lib/foresee/pass-14.so" ]; } && return
	rm -rf "$to" && mkdir -p "${to%/*}" && cp -rL "$real/$name" "$to" || return
	case $way in
	native) CC=clang-14 CXX=clang++-14 ;;
	tsan) CC='clang-14 -fsanitize=thread' CXX='clang++-14 -fsanitize=thread' ;;
	foresee) CC=foresee-cc CXX=foresee-c++ ;;
	esac
	(cd "$to" && FORESEE_LLVM=14 build_$name) >"$dir/build" 2>&1 && touch "$to/.done" && return
	echo "$name: not built, $way: $(grep -i error "$dir/build" | head -n 1)" >&2
	return 1
}

# Runs it once: seconds, and those of processors; or nothing if it failed.
measure() {
	local P=$real/.bench/$way/$name status TIMEFORMAT='%R %U %S'
	rm -rf "$dir/work" "$dir/trace.foresee" && mkdir "$dir/work"
	port=$((20000 + RANDOM % 20000))
	{ time { (cd "$dir/work" && run_$name) >"$dir/out" 2>&1 </dev/null; }; } 2>"$dir/time"
	status=$?
	[ $status = 0 ] && awk '{ print $1, $2 + $3 }' "$dir/time" && return
	echo "$name, $way: status $status: $(tail -n 1 "$dir/out")" >&2
}

compare() {
	local way seconds
	: >"$dir/runs"
	for way in native tsan foresee; do
		build || return
	done
	for ((r = 0; r < reps; r++)); do
		for way in native tsan foresee; do
			seconds=$(measure)
			[ -n "$seconds" ] || return
			echo "$way $seconds" >>"$dir/runs"
		done
	done
	awk -v name="$name" -v kind="$kind" -v bytes="$(stat -c %s "$dir/trace.foresee")" -v target=$target '
	!($1 in wall) || $2 < wall[$1] { wall[$1] = $2 }
	!($1 in cpu) || $3 < cpu[$1] { cpu[$1] = $3 }
	END {
		ratio = wall["foresee"] / wall["tsan"]
		printf "%-12s %-16s %9.2f %8.1f %10.1f %13.2f %8.2f %14.1f%s\n", name, kind, wall["native"],
			wall["tsan"] / wall["native"], wall["foresee"] / wall["native"], ratio,
			cpu["foresee"] / cpu["tsan"], bytes / wall["native"] / 1e6, (ratio > target ? "   above " target : "")
	}' "$dir/runs"
}

"${CC:-cc}" -O2 -pthread "$here/real/client.c" -o "$dir/client" || exit 1
awk 'BEGIN { srand(1); for (i = 0; i < 600000; i++) printf "%d word%d ", rand() * 1e6, rand() * 5000 }' >"$dir/text"
printf '%-12s %-16s %9s %8s %10s %13s %8s %14s\n' program kind 'native s' 'tsan x' 'foresee x' foresee/tsan 'by CPU' \
	'trace MB/s'
while read -r name kind; do
	[ -z "$only" ] || [ "$only" = "$name" ] || continue
	if [ -d "$real/$name" ]; then
		compare
	else
		echo "$name: skipped: no folder $real/$name"
	fi
done <<'END'
zstd compressor
lmdb database
memcached key-value store
cpp-httplib server
END
