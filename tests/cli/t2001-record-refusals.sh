#!/usr/bin/env bash
# What cannot be recorded is refused with 125 and a reason, before anything runs.
. "$(dirname "$0")/../lib.sh"

# refused REGEX ARGS...
refused() {
	local want=$1
	shift
	run foresee record "$@"
	is "$status" 125 "record $*: status"
	has err "^foresee: $want" "record $*: says why"
}

refused "cannot find './gone': No such file" ./gone
refused "cannot find 'no-such-program' along PATH$" no-such-program
cp /bin/true here
refused "cannot find 'here' along PATH; for the one here write ./here" here
refused "'./here' was not built for recording; build it with 'CC=foresee-cc make'" ./here
refused "'/.*/cat' was not built for recording" cat
echo text >text
refused "'./text' is not executable" ./text
chmod +x text
refused "'./text' is not an ELF program" ./text
printf '#!/bin/sh\ntouch ran\n' >script
chmod +x script
refused "'./script' is a script, not an ELF program" ./script
mkdir directory
refused "'./directory' is a directory" ./directory
: >empty
chmod +x empty
refused "'./empty' is not an ELF program" ./empty

# ELF files that lie: every prefix of a real one, and wild numbers in its heads.
head -c 64 /bin/true >cut
chmod +x cut
refused "'./cut' is linked statically" ./cut
bad=
for n in 16 63 65 200 1000 5000; do
	head -c $n /bin/true >cut
	foresee record ./cut 2>err
	[ $? = 125 ] || bad="$bad $n"
done
is "$bad" "" "cut anywhere, it is refused"
bad=
for offset in 4 16 18 32 39 54 56 64 72 96 104 700 750; do
	cp /bin/true wild
	printf '\377\377\377\377\377\377\377' | dd of=wild bs=1 seek=$offset conv=notrunc 2>/dev/null
	foresee record ./wild 2>err
	[ $? = 125 ] || bad="$bad $offset"
done
is "$bad" "" "with wild numbers, it is refused"

if cc -static -o static -x c - <<<'int main(void){return 0;}' 2>/dev/null; then
	refused "'./static' is linked statically" ./static
fi
is "$(ls *.foresee 2>/dev/null)" "" "no trace was left"
hasnt <(ls) '^ran$' "nothing was run"

command -v foresee-cc >/dev/null || done_testing
foresee-cc -g -O1 -pthread "$SRC/tests/cases/std/two_threads.c" -o prog
refused "cannot write '/.*/nowhere/t.foresee': No such file" -o nowhere/t.foresee ./prog
refused "cannot write '/.*/directory': not a regular file" -o directory ./prog
refused "cannot write '/dev/null': not a regular file" -o /dev/null ./prog
cp prog setuid
chmod u+s setuid
refused "'./setuid' is setuid or setgid" ./setuid
done_testing
