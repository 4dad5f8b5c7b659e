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

# The recorder that tells of locks as they are taken looks names up: not in what is gone.
run timeout 60 foresee record -v -o told.foresee ./full ./seen.so
is "$status" 0 "told of while it runs, after plug-ins have gone"

# The same place, other code.
place="-Wl,--section-start=.plug=0x100000 -Wl,--section-start=.tail=0x200000"
FORESEE_LLVM=$llvm foresee-cc -O1 -g -w -shared -fPIC $place "$here/stand_in.c" -o seen-there.so || exit 2
${CC:-cc} -O1 -g -w -shared -fPIC $place "$here/stand_in.c" -o unseen-there.so || exit 2
hostile stands_in.c ./seen-there.so ./unseen-there.so
foresee print stands_in.full.foresee >printed 2>&1
has printed 'give +unseen .* in fill' "a call of what stands there now is one of unseen code"

${CC:-cc} -O1 -w -shared -fPIC "$here/unseen_library.c" -o libunseen.so -pthread || exit 2
export LIBRARY_PATH=$PWD LD_LIBRARY_PATH=$PWD
for level in -O0 -O2; do
	full_option=--full hostile unseen_memory.c
	hostile unseen_memory.c
done
done_testing
