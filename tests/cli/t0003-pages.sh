#!/usr/bin/env bash
# README.md and doc/*.md, as a stranger uses them: every link leads somewhere, every command, option
# and make target that they name is there, and what they show after `$ ' can be pasted and says what
# they say it does.
. "$(dirname "$0")/../lib.sh"
command -v foresee-cc >/dev/null || skip_all "no foresee-cc"

cd "$SRC" || exit 2
pages=$(echo README.md doc/*.md)
cd "$TEST_DIR" || exit 2

# ---- links ----

# anchors FILE: what #... may be, one a line: headings in small letters, with dashes for blanks.
anchors() {
	sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

broken=
links=0
for page in $pages; do
	for link in $(grep -o '\]([^)]*)' "$SRC/$page" | sed 's/^](//; s/)$//'); do
		links=$((links + 1))
		file=$SRC/$(dirname "$page")/${link%%#*}
		[ "${link%%#*}" ] || file=$SRC/$page
		[ -e "$file" ] || broken="$broken $page:$link"
		case $link in
		*#*) anchors "$file" | grep -qx -- "${link#*#}" || broken="$broken $page:$link" ;;
		esac
	done
	# Pages are also named without a link, from the top or from beside.
	for name in $(grep -o '`[A-Za-z_/.]*\.md`' "$SRC/$page" | tr -d '`'); do
		[ -e "$SRC/$name" ] || [ -e "$SRC/doc/$name" ] || broken="$broken $page:$name"
	done
done
ok "there are links" test $links -gt 40
is "$broken" "" "links lead to pages and headings that are there"

missing=
for page in "$SRC"/doc/*.md; do
	name=$(basename "$page")
	grep -q "$name" "$SRC/README.md" "$SRC/doc/ARCHITECTURE.md" || missing="$missing $name"
done
is "$missing" "" "every page is named on the front page or in ARCHITECTURE.md"

# Files of the program, whole or as a pattern: with a room, or only by their name.
stale=
for page in $pages; do
	for name in $(grep -v '^    ' "$SRC/$page" | grep -oE '`([a-z_]+/)*[a-z0-9_*.-]+\.(c|h|sh|awk|py)`' | tr -d '`'); do
		[ "$(find "$SRC"/{src,tests,include,examples,scripts} -path "*/$name" | head -1)" ] ||
			stale="$stale $page:$name"
	done
done
is "$stale" "" "sources that pages name are there"

# Comments cite pages, and of SEMANTICS.md sections.
broken=
for name in $(grep -rhoE 'doc/[A-Za-z_/]+\.md' "$SRC/src" "$SRC/tests" "$SRC/include" "$SRC/scripts" | sort -u); do
	[ -e "$SRC/$name" ] || broken="$broken $name"
done
for n in $(grep -rhoE 'SEMANTICS\.md [0-9](\.[0-9])?' "$SRC/src" "$SRC/tests" | sed 's/.* //' | sort -u); do
	grep -qE "^##+ $n[. ]" "$SRC/doc/SEMANTICS.md" || broken="$broken SEMANTICS.md:$n"
done
is "$broken" "" "pages that comments cite are there"

# ---- words ----

# code: what stands in code, in all pages.
for page in $pages; do
	sed -n 's/^    //p' "$SRC/$page"
	grep -v '^    ' "$SRC/$page" | grep -o '`[^`]*`' | tr -d '`'
done >code

commands=$(foresee --help | sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
for c in $commands; do foresee $c --help; done >helps
unknown=
for c in $(grep -v '^foresee trace 1' code | grep -oE '(^|\$ |; )foresee [a-z]+' | sed 's/.*foresee //' | sort -u); do
	echo "$commands" | grep -qx "$c" || unknown="$unknown $c"
done
is "$unknown" "" "commands of foresee are there"

# Options of other programs, too: what clang, git, cmake and those that are recorded have.
others='port parallel io-threads version check help no-install-recommends'
others="$others build test-dir output-on-failure mode timeout depth"
unknown=
for o in $(grep -oE '(^|[ (])--[a-z][a-z-]+' code | sed 's/.*--//' | sort -u); do
	case " $others " in *" $o "*) continue ;; esac
	grep -qE -- "--$o( |$)" helps || grep -qF -- "-$o" "$SRC/doc/man/foresee-cc.1" || unknown="$unknown --$o"
done
is "$unknown" "" "options are there"

unknown=
for t in $(grep -oE '^make [a-z][a-z-]*' code | sed 's/make //' | sort -u); do
	grep -q "^$t:" "$SRC/Makefile" || unknown="$unknown $t"
done
is "$unknown" "" "make targets are there"

foresee check --help | sed -n '/^analyses/,$s/^  \([a-z-]*\) .*/\1/p' | sort >analyses
sed -n '/^## Which there are/,/^## Windows/s/^| `\([a-z].*\)` | .*/\1/p' "$SRC/doc/ENGINES.md" |
	sed 's/`.*//; s/lattice-mvc/&\nlattice-weak/' | sort >listed
ok "analyses" test -s analyses
same listed analyses "ENGINES.md has all analyses, and no other"

# ---- what is shown, pasted ----

# A project of somebody's, with the examples of ours.
cp -r "$SRC/examples" examples
printf 'server: examples/server.c\n\t$(CC) -g -pthread -o $@ $^\n' >Makefile
echo 'shared int requests = 0; property counted: ptltl requests >= 0;' >server.spec
awk '/^```suppressions/ { on = 1; next } /^```/ { on = 0 } on' "$SRC/doc/FINDINGS.md" >known.txt
ok "suppressions" test -s known.txt
printf 'T1|w(x)|a.c:1\n' >any.std
foresee check -q -f json -o known.json any.std
seq 300000 >big.tar
mkdir bin
printf '#!/bin/sh\necho "$*" >>"%s/logged"\n' "$PWD" >bin/logger
chmod +x bin/logger
PATH=$PWD/bin:$PATH

# here: a line of a page as it must be in this directory; sockets and ports that are nobody's.
here() {
	sed "s|/tmp/o.sock|./o.sock|g; s|--listen :7077|--listen :0|"
}

# plain: lines without what differs from run to run: numbers (not those of source lines), times,
# tokens, ports, the room between columns.
plain() {
	sed -E 's/FORESEE_TOKEN=[0-9a-f]+/TOKEN/; s/(127\.0\.0\.1:)[0-9]+/\1PORT/g
		s/(^|[^:A-Za-z0-9_.])[0-9][0-9.]*/\1N/g; s/(^|[^:A-Za-z0-9_.])[0-9][0-9.]*/\1N/g
		s/^ +//; s/ +/ /g; s/ $//'
}

# says WANTED GOT: the lines of WANTED are in GOT, in order; `...' stands for any, also at the end of one.
says() {
	here <"$1" | plain | grep -vxE '(\.\.\.)?' >wanted
	plain <"$2" >given
	awk 'BEGIN { while (getline w <"wanted" > 0) want[++n] = w }
		at < n { w = want[at + 1]
			at += $0 == w || (w ~ / \.\.\.$/ && index($0, substr(w, 1, length(w) - 4)) == 1) }
		END { if (at < n) { print "# not said: " want[at + 1]; exit 1 } }' given
}

# paste N: run command N; what a program does depends on its threads, so it has a few tries.
paste() {
	local try cmd
	cmd=$(here <paste/$1.cmd)
	for try in 1 2 3 4 5; do
		case $cmd in
		'foresee observe'*)
			bash -c "exec $cmd" >got 2>&1 </dev/null &
			observers="$observers $!"
			for _ in $(seq 100); do
				grep -q listening got && break
				sleep 0.1
			done
			status=0
			;;
		*)
			timeout 100 bash -c "$cmd" >got 2>&1 </dev/null
			status=$?
			;;
		esac
		says paste/$1.want got >lacks && break
	done
	case $cmd in
	'foresee run'* | 'foresee check'* | 'foresee explore'*) [ $status = 0 ] || [ $status = 1 ] ;;
	*) [ $status = 0 ] ;;
	esac && [ ! -s lacks ] && return 0
	cat lacks got
	return 1
}

observers=
for page in README.md doc/FINDINGS.md doc/RECORDING.md doc/LIVE.md doc/PROPERTIES.md doc/EXPLORE.md; do
	rm -rf paste big.tar.xz
	mkdir paste
	awk '/^    \$ / { n++; want = "paste/" n ".want"; printf "" >want
			print substr($0, 7) >("paste/" n ".cmd"); next }
		/^    / { if (want) print >want; next }
		/./ { want = "" }' "$SRC/$page"
	for n in $(ls paste | sed -n 's/\.cmd$//p' | sort -n); do
		line=$(cat paste/$n.cmd)
		case $line in
		./configure* | *cmake\ * | *meson\ *) continue ;; # t1011 to t1013 have them
		*/usr/bin/xz*) command -v xz >/dev/null || continue ;;
		esac
		ok "$page: $line" paste $n
	done
	for p in $observers; do
		kill "$p"
		wait "$p"
	done 2>/dev/null
	observers=
done
has logged 'data race on errors' "the command of --on-finding was run"

# ANNOTATIONS.md: its block compiles by any compiler.
{
	echo '#include <foresee.h>'
	echo 'struct { int hits; } cache[8]; int doorbell, *lock; long client, length;'
	echo 'int main(void) {'
	awk '/^```c/ { on = 1; next } /^```/ { on = 0 } on' "$SRC/doc/ANNOTATIONS.md"
	echo 'return 0; }'
} >annotated.c
ok "annotations, by foresee-cc" foresee-cc -Werror annotated.c -o annotated
ok "annotations, by another compiler" ${CC:-cc} -Werror -I "$SRC/include" annotated.c -o annotated
ok "which run" ./annotated
done_testing
