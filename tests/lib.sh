# TAP for shell tests.  Source it first:
#
#	. "$(dirname "$0")/../lib.sh"
#	plan 2
#	run foresee stats x.foresee		# sets $status, files out and err
#	is "$status" 0 "stats ends well"
#	has out "events" "counts are printed"
#
# The test runs in a directory of its own that goes away; $SRC is the source
# tree, $FORESEE_ROOT the build under test, its bin/ first in PATH.

SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${FORESEE_ROOT:=$SRC/build}"
PATH=$FORESEE_ROOT/bin:$PATH
export SRC FORESEE_ROOT PATH
unset MAKEFLAGS MAKELEVEL MFLAGS
export FORESEE_PROJECT= # no settings from above the test's directory

TEST_DIR=$(mktemp -d "${TMPDIR:-/tmp}/foresee-test.XXXXXX") || exit 2
trap 'cd / && rm -rf "$TEST_DIR"' EXIT
cd "$TEST_DIR" || exit 2

# For what takes no blank in a path, whoever tests it: libtool, the first line of a script.
plain_directory() {
	case $TEST_DIR in
	*[[:space:]]*)
		cd / && rm -rf "$TEST_DIR"
		TEST_DIR=$(mktemp -d /tmp/foresee-test.XXXXXX) && cd "$TEST_DIR" || exit 2
		;;
	esac
}

test_number=0
test_failed=0

plan() {
	echo "1..$1"
}

# For a test that finds out how many there were.
done_testing() {
	echo "1..$test_number"
	exit $((test_failed != 0))
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 77
}

pass() {
	test_number=$((test_number + 1))
	echo "ok $test_number - $*"
}

fail() {
	test_number=$((test_number + 1))
	test_failed=$((test_failed + 1))
	echo "not ok $test_number - $*"
}

# note FILE: the file as TAP comments, for the reader of a failure.
note() {
	[ -e "$1" ] && awk -v name="$1" '{ print "# " name ": " $0 }' "$1" | head -${2:-40}
	return 0
}

# run COMMAND...: $status, and its output in the files out and err.
run() {
	"$@" >out 2>err </dev/null
	status=$?
}

# ok NAME COMMAND...: passes if the command does.
ok() {
	local name=$1
	shift
	run "$@"
	if [ $status = 0 ]; then
		pass "$name"
	else
		fail "$name"
		echo "# status $status: $*"
		note out
		note err
	fi
}

# is GOT WANTED NAME
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		printf '# got:    %s\n# wanted: %s\n' "$1" "$2"
		note err 10
	fi
}

# has FILE REGEX NAME; hasnt FILE REGEX NAME
has() {
	if grep -Eq -e "$2" "$1"; then
		pass "$3"
	else
		fail "$3"
		echo "# no line matches: $2"
		note "$1"
	fi
}

hasnt() {
	if grep -Eq -e "$2" "$1"; then
		fail "$3"
		echo "# a line matches: $2"
		note "$1"
	else
		pass "$3"
	fi
}

# same FILE FILE NAME
same() {
	if cmp -s "$1" "$2"; then
		pass "$3"
	else
		fail "$3"
		diff -u "$1" "$2" | head -40 | sed 's/^/# /'
	fi
}
