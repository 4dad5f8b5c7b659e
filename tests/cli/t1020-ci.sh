#!/usr/bin/env bash
# What CI runs: every gate, added up into one line, and none that fails or crashes is overlooked.
. "$(dirname "$0")/../lib.sh"

mkdir -p 'a b/.ci' fake
cp "$SRC/.ci/run" 'a b/.ci/run'
# make, in the words of each target.
cat >fake/make <<'END'
#!/bin/sh
echo "CI=$CI $*" >>"$LOG"
case "$*" in
"$FAILS") echo "$SAYS"; exit 2 ;;
check) echo 'ok    x'; echo '10 passed, 0 failed, 1 skipped' ;;
*check-units) echo '3 passed, 0 failed' ;;
esac
END
chmod +x fake/make
# ci WANTED NAME [TARGET WORDS]: the last line and the status, when TARGET fails with these words.
ci() {
	rm -f log
	FAILS=${3-none} SAYS=${4-} LOG=$PWD/log PATH=$PWD/fake:$PATH run bash 'a b/.ci/run'
	is "$(tail -1 out), $status" "$1" "$2"
}
ci '19 passed, 0 failed, 0' "all gates pass"
is "$(sort log)" "$(printf 'CI=true %s\n' 'FLAVOUR=asan check-units' 'FLAVOUR=clang all' \
	'FLAVOUR=tsan check-units' check deps format-check 'tidy QUICK=1')" "each once, with warnings as errors"
ci '18 passed, 2 failed, 1' "tests that fail are counted" check '9 passed, 2 failed'
ci '18 passed, 2 failed, 1' "... also when make has the last word" check "9 passed, 2 failed
make: *** [Makefile:251: check] Error 1"
ci '9 passed, 1 failed, 1' "tests that do not get to their end" check 'cc: error'
ci '19 passed, 1 failed, 1' "a bad end after a good line" check '10 passed, 0 failed'
ci '16 passed, 1 failed, 1' "a sanitizer" 'FLAVOUR=tsan check-units' 'no line'
ci '18 passed, 1 failed, 1' "the other compiler" 'FLAVOUR=clang all' 'warning'
has out '      \| warning' "is told"
ci '18 passed, 1 failed, 1' "clang-tidy" 'tidy QUICK=1'
ci '18 passed, 1 failed, 1' "layout" format-check
run env FAILS=deps SAYS= LOG="$PWD/log" PATH="$PWD/fake:$PATH" bash 'a b/.ci/run'
is "$status" 2 "without the packages nothing is tried"
done_testing
