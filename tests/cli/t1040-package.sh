#!/usr/bin/env bash
# The Debian package: built from the tree as it is, looked at by lintian, installed on a bare Debian 12 below a root of its own,
# used there, and removed.  It takes minutes and the network, so LONG=1 only; t1030 has what `make install' does, always.
. "$(dirname "$0")/../lib.sh"

# ---- what needs no package ----
is "$(sed -n '1s/^foresee (\([^)-]*\)).*/\1/p' "$SRC/debian/changelog")" "$(foresee --version | cut -d' ' -f2)" "its version is that of the program"
missing=
for p in $(sed -n 's/^Build-Depends: //p' "$SRC/debian/control" | tr ',' '\n' | sed 's/(.*//'); do
	case $p in debhelper-compat) continue ;; esac
	grep -q "\b$p\b" "$SRC/scripts/deps" || missing="$missing $p"
done
is "$missing" "" "what it is built with is what scripts/deps installs"
ok "the autopkgtest is the demo" grep -q 'scripts/demo' "$SRC/debian/tests/demo"

why=
[ -n "${LONG-}" ] || why="LONG=1 builds, installs and tries the package"
for tool in dpkg-buildpackage dh lintian debootstrap; do
	[ -n "$why" ] || command -v $tool >/dev/null || why="no $tool: apt-get install dpkg-dev debhelper lintian debootstrap"
done
[ -n "$why" ] || [ "$(id -u)" = 0 ] || why="a root of its own needs root"
if [ -n "$why" ]; then
	pass "the package # SKIP NOT TRIED: $why"
	done_testing
fi
plain_directory

# ---- built ----
mkdir tree
(cd "$SRC" && git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read) | tar -x -C tree
cd tree || exit 2
run dpkg-buildpackage -us -uc -b
is "$status" 0 "dpkg-buildpackage"
[ "$status" = 0 ] || { note out && note err && done_testing; }
cd ..
deb=$(echo foresee_*_amd64.deb)
run lintian --allow-root --fail-on error,warning "$deb"
is "$status" 0 "lintian: neither errors nor warnings"
note out
dpkg -c "$deb" | awk '{ print $6 }' >files
for f in bin/foresee bin/foresee-cc lib/foresee/libforesee_rt.so lib/foresee/pass-14.so include/foresee.h share/man/man1/foresee-run.1.gz \
	share/man/man5/foresee-formats.5.gz share/pkgconfig/foresee.pc share/bash-completion/completions/foresee \
	share/zsh/vendor-completions/_foresee share/fish/vendor_completions.d/foresee.fish; do
	ok "it has $f" grep -qx "./usr/$f" files
done

# ---- installed on a bare Debian ----
if [ -n "${FORESEE_BOOTSTRAP-}" ]; then # a root that somebody has made already; it is copied
	cp -a "$FORESEE_BOOTSTRAP" root
	status=$?
else
	run debootstrap --variant=minbase bookworm root
fi
if [ "$status" != 0 ]; then
	pass "a bare Debian # SKIP NOT TRIED: debootstrap has failed, is there a network?"
	note out 5
	done_testing
fi
inside() { # COMMAND...: in there, with nothing of here
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot root "$@"
}
cp "$deb" root/
trap 'umount root/proc 2>/dev/null; cd / && rm -rf "$TEST_DIR"' EXIT
mount -t proc proc root/proc || echo "# no /proc in there"
run inside sh -c "apt-get -q update && apt-get -q install -y --no-install-recommends ./$deb"
is "$status" 0 "apt-get install"
[ "$status" = 0 ] || { note err && done_testing; }
cp -r tree/examples tree/scripts tree/debian root/root/
run inside sh -c 'cd /root && foresee run --replay examples/audit.c'
is "$status" 1 "foresee run FILE.c from there"
has out '^1  data race on audit\.total .* replayed$' "it finds, and replays"
run inside sh -c 'cd /root && foresee-cc -g -O1 -pthread examples/deadlock.c -o deadlock && foresee run -q -f json ./deadlock'
is "$status" 1 "foresee-cc, and a program"
has out '"kind": "deadlock"' "what it finds"
run inside sh -c 'cd /root && foresee run -q --locks-only ./deadlock'
has out 'deadlock of T2 and T3' "--locks-only"
run inside sh -c 'cd /root && mkdir /tmp/demo && AUTOPKGTEST_TMP=/tmp/demo sh debian/tests/demo'
is "$status" 0 "the autopkgtest"
run inside apt-get -q purge -y foresee
is "$status" 0 "apt-get purge"
is "$(find root/usr -path '*foresee*' ! -path '*/doc/*' | head -3)" "" "nothing is left"
done_testing
