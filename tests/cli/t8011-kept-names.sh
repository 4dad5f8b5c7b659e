#!/usr/bin/env bash
# Static variables have the size and the members that the source gives them, however the program is
# optimised; names of C++ have scopes.
. "$(dirname "$0")/../lib.sh"

here=$SRC/tests/programs/binding

# violated SPEC-FILE TRACE: names of the violated properties, on one line.
violated() {
	foresee check -q -a property -s "$1" -f json "$2" 2>err | grep -o '"property": "[^"]*"' |
		cut -d'"' -f4 | sort -u | tr '\n' ' '
}

cat >kept.spec <<'END'
shared int ready; shared int unread;
shared int cabin.floor; shared int kept.c:cabin.moving; shared short cabin.door;
property ready: ptltl !(ready == 1);
property unread: ptltl !(unread == 3);
property floor: ptltl !(cabin.floor == 7);
property moving: ptltl !(start(kept.c:cabin.moving == 1) && cabin.floor == 0);
property door: ptltl !(cabin.door == 2);
property only: ptltl (ready == 0 || ready == 1) && cabin.door >= 0;
END
for optimise in -O0 -O1 -O2 -O3; do
	foresee-cc -g $optimise -pthread "$here/kept.c" -o kept 2>err &&
		foresee record -q -o kept.foresee ./kept >out 2>err
	is "$(cat out)" "6 7 3" "$optimise: it runs"
	is "$(violated kept.spec kept.foresee)" "door floor moving ready unread " \
		"$optimise: all static variables are there, and all writes"
done

printf 'shared int cabin.flor;\nproperty p: ptltl cabin.flor == 0;\n' >slip.spec
run timeout 60 foresee check -s slip.spec kept.foresee
is "$status" 2 "no such member"
has err "no member 'flor', did you mean 'floor'\?" "and which was meant"

cat >scoped.spec <<'END'
shared long store::last.version; shared bool scoped.cc:store::last.valid;
shared int store::cache::hits; shared int hidden;
event locked = acq(store::guard);
property version: ptltl !(store::last.version == 9);
property valid: ptltl !(scoped.cc:store::last.valid == true && store::last.version == 9);
property hits: ptltl !(once(store::cache::hits == 4) && store::cache::hits == 5);
property hidden: ptltl !(once(hidden == 2) && hidden == 3);
property locked: ptltl !locked();
property only: ptltl store::cache::hits < 6;
END
for optimise in -O0 -O2; do
	foresee-c++ -g $optimise -pthread "$here/scoped.cc" -o scoped 2>err &&
		foresee record -q -o scoped.foresee ./scoped >out 2>err
	is "$(cat out)" "9 8" "$optimise: it runs"
	is "$(violated scoped.spec scoped.foresee)" "hidden hits locked valid version " \
		"$optimise: names with scopes"
done
run timeout 60 foresee check -a property -s scoped.spec scoped.foresee
has out 'version +valid +hits|last\.version' "long names are there in full, or in short"
hasnt out '\.\.  :' "and none is cut"
done_testing
