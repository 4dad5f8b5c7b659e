#!/usr/bin/env bash
# doc/CI.md: every block of it that has a name is taken out of the page and run as it stands there, in projects of each build
# system; the workflows of GitHub and GitLab step by step, as their runners start them.
. "$(dirname "$0")/../lib.sh"
page=$SRC/doc/CI.md
plain_directory

# block NAME: the lines of that block.
block() {
	awk -v name="$1" '$0 == "```" && on { exit } on { print } /^```/ && $2 == name { on = 1 }' "$page"
}
# recipe NAME TITLE: run as runners do; its output is in the file out.
recipe() {
	block "$1" >recipe.sh
	ok "$2" bash --noprofile --norc -eo pipefail recipe.sh
}
named=$(sed -n 's/^```[a-z]* \(.*\)/\1/p' "$page" | sort | paste -sd' ')
is "$named" ".github/workflows/foresee.yml .gitlab-ci.yml autotools ci/judge ci/record cmake googletest known make meson scripts" \
	"the blocks that have a name: each is run below"

# project DIR: goes there.  Three tests: one with a race, one without, one that is a script.
project() {
	mkdir -p "$1/ci" && cd "$1" || exit 2
	block ci/record >ci/record
	block ci/judge >ci/judge
	block scripts >scripts.sh
	. ./scripts.sh
	cat >hits.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static int hits, total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
#ifdef RACE
	hits++;
#endif
#ifdef MORE
	total--;
#endif
	pthread_mutex_lock(&m);
	total++;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	pthread_create(&a, 0, work, 0);
	pthread_create(&b, 0, work, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("%s %d\n", argc > 1 ? argv[1] : "-", hits + total);
	return 0;
}
EOF
	echo 'int main(void) { return 3; }' >fails.c
	printf '#!/bin/sh\nexit 0\n' >script.sh && chmod +x script.sh
}
traces() {
	ls "$FORESEE_TRACES" | sed 's/\.[0-9]*\.foresee$//' | sort | paste -sd' '
}
top=$PWD

# ---- the two scripts ----
project scripts
foresee-cc -g -O1 -pthread -DRACE hits.c -o hits
foresee-cc fails.c -o fails
run env -u FORESEE_TRACES ci/record ./hits x
is "$status $(cut -d' ' -f1 out)" "0 x" "ci/record without FORESEE_TRACES: the program alone"
ok "nothing is kept" test ! -e traces
run ci/record ./hits 'a b'
is "$status $(cut -d' ' -f1,2 out)" "0 a b" "under the recorder: its output"
run ci/record ./fails
is "$status" 3 "its status"
run ci/record ./script.sh
is "$status" 0 "a script runs as it is"
is "$(traces)" "fails hits" "traces are kept of what can be recorded"
run ci/judge
is "$status" 2 "without a baseline: trouble"
has err "cannot read 'ci/known.json'" "which one"
recipe known "the first baseline"
ok "what is known does not fail" ci/judge
has out '^2 traces, 1 finding: trace 2 found 1$' "it is counted"
has out "^baseline 'ci/known.json': 1 of these known, 0 gone\.$" "and known"
foresee-cc -g -O1 -pthread -DRACE -DMORE hits.c -o hits2
ci/record ./hits2 >/dev/null
run ci/judge
is "$status" 1 "what is new fails"
has out '^ *[0-9]+ +data race on total' "it is told in full"
has out '^   first seen in trace 3 of 3: traces/hits2\.[0-9]*\.foresee$' "and where"
has foresee.md '^\| [23] \| race \| `total`' "as markdown"
is "$(python3 -c 'import json; r = json.load(open("foresee.sarif"))["runs"]
print(len(r), sorted({(x["baselineState"], x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for x in r[0]["results"]}))')" \
	"1 [('new', 'hits.c'), ('unchanged', 'hits.c')]" "as SARIF"
cd "$top" || exit 2

# ---- test runners ----
judged() { # TITLE PLACE [OTHER]: the race is found, at whichever place came first, and nothing else
	local place want=$2

	foresee check -q --together -f gcc "$FORESEE_TRACES"/*.foresee >gcc.out
	place=$(sed -n 's/: warning:.*//p' gcc.out | sort -u)
	[ $# = 3 ] && [ "$place" = "$3" ] && want=$3
	is "$place" "$want" "$1: the race, and where the file is from here"
}
if command -v cmake ctest >/dev/null; then
	project cmake
	cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(hits C CXX)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
include(GoogleTest)
enable_testing()
add_executable(racy hits.c)
target_compile_definitions(racy PRIVATE RACE)
add_executable(fine hits.c)
add_executable(gtests gtests.cc)
target_link_libraries(racy Threads::Threads)
target_link_libraries(fine Threads::Threads)
target_link_libraries(gtests GTest::gtest_main)
gtest_discover_tests(gtests)
add_test(NAME racy COMMAND racy with-arguments)
add_test(NAME fine COMMAND fine)
add_test(NAME script COMMAND sh ${CMAKE_SOURCE_DIR}/script.sh)
EOF
	cat >gtests.cc <<'EOF'
#include <gtest/gtest.h>
TEST(Stats, One) { EXPECT_EQ(1, 1); }
TEST(Stats, Two) { EXPECT_EQ(2, 2); }
EOF
	recipe cmake "CTest"
	has out '100% tests passed, 0 tests failed out of 5' "CTest: as without foresee"
	is "$(traces)" "fine gtests gtests gtests racy" "CTest: a trace of each, and of the list that GoogleTest makes"
	judged CTest hits.c:8:6
	cd "$top" || exit 2
else
	pass "a recipe # SKIP no cmake"
fi
if command -v meson >/dev/null; then
	project meson
	cat >meson.build <<'EOF'
project('hits', 'c', default_options: ['buildtype=debugoptimized'])
threads = dependency('threads')
test('racy', executable('racy', 'hits.c', c_args: '-DRACE', dependencies: threads))
test('fine', executable('fine', 'hits.c', dependencies: threads))
test('script', find_program('script.sh'))
EOF
	recipe meson "Meson"
	has out '^Ok: +3' "Meson: as without foresee"
	is "$(traces)" "fine racy" "Meson: a trace of each"
	judged Meson hits.c:8:6
	cd "$top" || exit 2
else
	pass "a recipe # SKIP no meson"
fi
if command -v autoreconf automake >/dev/null; then
	project autotools
	cat >configure.ac <<'EOF'
AC_INIT([hits], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOF
	cat >Makefile.am <<'EOF'
AM_CFLAGS = -pthread
check_PROGRAMS = racy fine
racy_SOURCES = hits.c
racy_CPPFLAGS = -DRACE
fine_SOURCES = hits.c
TESTS = $(check_PROGRAMS)
EOF
	autoreconf -i >autoreconf.log 2>&1
	recipe autotools "Autotools"
	has out '^# PASS:  2' "Autotools: as without foresee"
	is "$(traces)" "fine racy" "Autotools: a trace of each"
	judged Autotools hits.c:8:6
	cd "$top" || exit 2
else
	pass "a recipe # SKIP no autotools"
fi

project others
cat >Makefile <<'EOF'
stress: hits.c
	$(CC) -g -O1 -DRACE -pthread -o $@ hits.c
EOF
recipe make "make"
is "$(cut -d' ' -f1 out | grep -c '^[1-5]$')" 5 "make: five runs"
is "$(traces)" "stress stress stress stress stress" "make: five traces"
judged make hits.c:8:6
if [ -e /usr/include/gtest/gtest.h ]; then
	rm -r traces
	cat >stats_test.cc <<'EOF'
#include <gtest/gtest.h>
#include <thread>
static int hits;
TEST(Stats, Fine)
{
	std::thread a([] { hits++; });
	a.join();
	EXPECT_EQ(1, hits);
}
TEST(Stats, Racy)
{
	std::thread a([] { hits++; });
	hits++;
	a.join();
}
EOF
	recipe googletest "GoogleTest"
	is "$(grep -c '\[  PASSED  \] 1 test\.' out)" 2 "GoogleTest: each in a run of its own"
	is "$(traces)" "stats_test stats_test" "GoogleTest: a trace of each"
	judged GoogleTest stats_test.cc:13:6 stats_test.cc:12:25
else
	pass "a recipe # SKIP no GoogleTest"
fi
cd "$top" || exit 2

# ---- services ----
[ "$FORESEE_ROOT" = "$SRC/build" ] || { pass "the workflows # SKIP not the build that make install takes" && done_testing; }

# Packages are not installed by a test; that there are such is looked at.
mkdir fake home
cat >fake/apt-get <<'END_OF_FAKE'
#!/bin/bash
for p in "$@"; do
	case $p in -* | update | install) continue ;; esac
	dpkg-query -W "$p" >/dev/null 2>&1 || apt-cache show "$p" >/dev/null || exit 1
done
END_OF_FAKE
chmod +x fake/apt-get
service() { # NAME: a project with the race known, foresee's sources where the service has put them
	project "$1"
	ln -s "$SRC" foresee-source
	cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(hits C)
find_package(Threads REQUIRED)
enable_testing()
add_executable(racy hits.c)
target_compile_definitions(racy PRIVATE RACE ${MORE})
target_link_libraries(racy Threads::Threads)
add_test(NAME racy COMMAND racy)
EOF
	echo '{"foresee": 1, "findings": []}' >ci/known.json
	unset FORESEE_TRACES
}

# github: the steps of the workflow that are commands, up to the first that fails and those that are run always.
github() {
	python3 - "$page" <<'EOF'
import os, re, subprocess, sys, yaml
text = re.search(r"```yaml \.github/workflows/foresee\.yml\n(.*?)```", open(sys.argv[1]).read(), re.S)[1]
job = yaml.safe_load(text)["jobs"]["foresee"]
env = dict(os.environ, CI="true", GITHUB_ENV="env", GITHUB_PATH="path", GITHUB_STEP_SUMMARY="summary")
failed = False
for step in job["steps"]:
    if "run" not in step:
        print("uses", step["uses"].split("@")[0], step.get("with", {}).get("sarif_file", ""))
        continue
    if failed and step.get("if") != "always()":
        continue
    code = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=env,
                          stdout=open("log", "a"), stderr=subprocess.STDOUT).returncode
    print(step["name"], code)
    failed |= code != 0
    for line in open("env").read().split() if os.path.exists("env") else []:
        env.update([line.split("=", 1)])
    for line in open("path").read().split() if os.path.exists("path") else []:
        env["PATH"] = line + ":" + env["PATH"] if line not in env["PATH"] else env["PATH"]
EOF
}
gitlab() {
	python3 - "$page" >lines <<'EOF'
import re, sys, yaml
text = re.search(r"```yaml \.gitlab-ci\.yml\n(.*?)```", open(sys.argv[1]).read(), re.S)[1]
job = yaml.safe_load(text)["foresee"]
print("\n".join(job["before_script"] + job["script"]))
EOF
	bash -eo pipefail lines
}
here() { # COMMAND: with the PATH of somebody who has no foresee
	PATH=$top/fake:${PATH#"$FORESEE_ROOT/bin:"} HOME=$top/home "$@"
}
if command -v cmake ctest >/dev/null && python3 -c 'import yaml' 2>/dev/null; then
	service github
	run here github
	is "$(paste -sd, out)" "uses actions/checkout ,uses actions/checkout ,packages 0,install foresee 0,test 0,judge 1,summary 0,uses github/codeql-action/upload-sarif foresee.sarif" \
		"GitHub: step by step; the race is new"
	[ "$(grep -c 'judge 1' out)" = 1 ] || note log 60
	has summary '^\| 1 \| race \| `hits`' "GitHub: the summary"
	ok "GitHub: foresee is where the workflow has put it" test -x "$top/home/foresee/bin/foresee"
	FORESEE_TRACES=$PWD/traces recipe known "GitHub: it is taken for known"
	rm -rf build-foresee traces env path
	run here github
	has out '^judge 0$' "GitHub: and passes"
	cd "$top" || exit 2
	service gitlab
	run here gitlab
	is "$status" 1 "GitLab: line by line; the race is new"
	has out '^1 +data race on .*hits' "GitLab: it is told"
	has out '100% tests passed' "GitLab: after the tests"
	is "$(ls foresee.md foresee.sarif)" "$(printf 'foresee.md\nforesee.sarif')" "GitLab: what is kept"
else
	pass "the workflows # SKIP no cmake, or no python3-yaml"
fi
done_testing
