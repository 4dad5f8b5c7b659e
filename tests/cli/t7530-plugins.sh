#!/usr/bin/env bash
# Plug-ins, built with foresee and without, that come, go, and come back elsewhere; libraries that write
# memory unseen.
. "$(dirname "$0")/../lib.sh"
. "$SRC/tests/cli/compilers.sh"
[ -n "$LLVMS" ] || skip_all "no pass was built"
. "$SRC/tests/cli/hostile.sh"

here=$hostile
FORESEE_LLVM=$llvm foresee-cc -O1 -g -w -shared -fPIC "$here/plugin.c" -o seen.so -pthread || exit 2
${CC:-cc} -O1 -g -w -shared -fPIC "$here/plugin.c" -o unseen.so -pthread || exit 2
hostile plugins.c ./seen.so ./unseen.so
if build "$here/plugins.c"; then
	recorded plugins-unseen full "$here/plugins.c" ./unseen.so
	recorded plugins-seen full "$here/plugins.c" ./seen.so
fi
foresee print plugins-seen.full.foresee >printed 2>&1
has printed 'plugin\.c:[0-9]+ in plugin_work' "places in a plug-in keep their names after it is closed"

${CC:-cc} -O1 -w -shared -fPIC "$here/unseen_library.c" -o libunseen.so -pthread || exit 2
export LIBRARY_PATH=$PWD LD_LIBRARY_PATH=$PWD
for level in -O0 -O2; do
	full_option=--full hostile unseen_memory.c
	hostile unseen_memory.c
done
done_testing
