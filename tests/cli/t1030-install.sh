#!/usr/bin/env bash
# make install and uninstall: what is installed works from there, and goes away whole; completion of command lines.
. "$(dirname "$0")/../lib.sh"
[ "$FORESEE_ROOT" = "$SRC/build" ] || skip_all "not the build that make install takes"

run make -C "$SRC" -s install DESTDIR="$PWD/a b" PREFIX=/opt/foresee
is "$status" 0 "make install, below a path with a blank"
note err 10
at="$PWD/a b/opt/foresee"
cp "$SRC/examples/audit.c" .
PATH="$at/bin:$PATH" run foresee run -q audit.c
is "$status" 1 "it works from there"
has out 'data race on audit\.total' "and finds"
has <(ldd "$at/bin/foresee") 'libdw' "the tool needs what Debian has"
if command -v pkg-config >/dev/null; then
	is "$(PKG_CONFIG_PATH="$at/share/pkgconfig" pkg-config --variable=cc foresee)" /opt/foresee/bin/foresee-cc "pkg-config: the compiler"
	is "$(PKG_CONFIG_PATH="$at/share/pkgconfig" pkg-config --modversion foresee)" "$(foresee --version | cut -d' ' -f2)" "pkg-config: the version"
fi

# complete WORD...: what bash makes of the last of them.
complete_line() {
	bash -c '
		. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _foresee; echo "${COMPREPLY[@]}"' \
		"$at/share/bash-completion/completions/foresee" "$@"
}
is "$(complete_line foresee ex)" "explore export" "bash: commands"
is "$(complete_line foresee run --until)" "--until-quiet" "bash: options"
is "$(complete_line foresee stats --until)" "" "bash: of that command"
is "$(complete_line foresee check audit.c)" "audit.c" "bash: files"
missing=
for c in $(foresee --help | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	for o in $(foresee $c --help | sed -n '/^options/,$s/^.\{6\}--\([a-z-]*\).*/\1/p'); do
		complete_line foresee $c --$o | grep -qw -e "--$o" || missing="$missing $c:$o"
	done
done
is "$missing" "" "bash: all options of all commands"
for shell in zsh fish; do
	foresee help --completion $shell >script
	if command -v $shell >/dev/null; then
		ok "$shell: can be read" $shell -n script
	else
		ok "$shell: is there" test -s script
	fi
done
run foresee help --completion tcsh
is "$status" 2 "another shell: refused"

run make -C "$SRC" -s uninstall DESTDIR="$PWD/a b" PREFIX=/opt/foresee
is "$status" 0 "make uninstall"
is "$(find "$at" -type f)" "" "nothing is left"
done_testing
