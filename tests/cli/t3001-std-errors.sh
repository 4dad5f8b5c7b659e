#!/usr/bin/env bash
# Ill-formed text is refused by file, line and column.
. "$(dirname "$0")/../lib.sh"

# refused REGEX TEXT: text as printf has it
refused() {
	printf "$2" >t.std
	run foresee stats t.std
	is "$status" 2 "refused: $1"
	has err "^foresee: t\.std:$1" "says: $1"
}

refused "1:8: line ends after the operation; expected '\|' and a location" 'T1|r(x)\n'
refused "1:2: line ends after 'x'; expected thread\|op\(operand\)\|location" 'x\n'
refused "2:10: a third '\|'" 'T1|r(x)|1\nT1|r(x)|2|3\n'
refused "4:4: unknown operation 'lock'; expected one of r w acq rel" '# one\n\nT1|r(x)|1\nT1|lock(m)|2\n'
refused "1:4: operation 'use' needs the first line '#fmt 1'" 'T1|use<1|1\n'
refused "1:7: blank inside an event" 'T1|r(a b)|1\n'
refused "1:7: missing '\)'" 'T1|r(x|1\n'
refused "2:7: line ends after the operation" 'T1|w(x)|1\nT1|w(x'
refused "1:6: control character" 'T1|r(\033)|1\n'
refused "2:8: release of a lock that nobody holds" 'T1|w(x)|1\nT1|rel(l)|2\n'
refused "2:7: acquire of a lock that thread 'a' holds" 'a|acq(l)|1\nb|acq(l)|2\n'
refused "3:6: event of thread 'T2' after thread 'T1' joined it" 'T2|w(x)|1\nT1|join(2)|2\nT2|r(x)|3\n'
refused "2:9: thread 'T2' has run before this fork" 'T2|w(x)|1\nT1|fork(T2)|2\n'
refused "3:9: event 1 is no read of this thread before this one" '#fmt 1\nT2|r(x)~|1\nT1|w(x)<1|2\n'
refused "1:1: unknown text format; this version reads '#fmt 1'" '#fmt 7\n'

# NUL bytes: near the start nothing is text; further on it is named.
{ seq 200 | sed 's/.*/T1|w(x)|&/'; printf 'T1|w(\0)|1\n'; } >t.std
run foresee stats t.std
is "$status" 2 "a NUL byte"
has err '^foresee: t\.std:201:6: NUL byte' "is named"

{ printf 'T1|r('; head -c 1100000 /dev/zero | tr '\0' x; printf ')|1\n'; } >t.std
run foresee stats t.std
is "$status" 2 "a line above 1 MiB"
has err '^foresee: t\.std:1:1048577: line is longer than 1 MiB' "is refused"
{ printf 'T1|r('; head -c 1000000 /dev/zero | tr '\0' x; printf ')|1\n'; } >t.std
ok "a line below is read" foresee stats t.std

run foresee print - </dev/null
is "$status" 0 "an empty standard input is an empty trace"
printf 'T1|q|1\n' | foresee stats - 2>err
has err '^foresee: \(standard input\):1:4: unknown operation' "standard input is named in errors"
printf 'T1|w(x)|1\r\n\r\n#c\r\nT1|r(x)|2\r\n' >t.std
run foresee stats t.std
has out '^t.std: STD text, 2 events of 1 thread,' "CRLF, blank lines and comments"
done_testing
