/*
 * Runs whose verdicts are known: a spec, a run as text, at which events which property is false, and where a
 * handler would be called, in which thread.  Also where it is false in some other run that this one proves
 * possible.
 */
#ifndef UNIT_MTTL_VECTORS_H
#define UNIT_MTTL_VECTORS_H

static const struct mttl_vector {
	const char *name, *spec, *trace;
	const char *violations; /* "p@3 q@4" */
	const char *handlers;	/* "f(T1)@3"; NULL: there are none */
	const char *predicted;	/* NULL: not known */
} mttl_vectors[] = {
	{ "M01 bank, execution 1",
	  "shared int c = 100; shared int s = 100;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T1|begin|1\n"
	  "T1|r(c)|2\n"
	  "T2|begin|3\n"
	  "T2|r(c)|4\n"
	  "T2|w(c)=50|5\n"
	  "T1|r(s)|6\n"
	  "T1|end|7\n"
	  "T2|r(s)|8\n"
	  "T2|w(s)=150|9\n"
	  "T2|end|10\n",
	  "", "", "atom@6" },
	{ "M02 bank, execution 2",
	  "shared int c = 100; shared int s = 100;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T2|begin|1\n"
	  "T2|r(c)|2\n"
	  "T2|w(c)=50|3\n"
	  "T1|begin|4\n"
	  "T1|r(c)|5\n"
	  "T1|r(s)|6\n"
	  "T1|end|7\n"
	  "T2|r(s)|8\n"
	  "T2|w(s)=150|9\n"
	  "T2|end|10\n",
	  "atom@9", "recover(T2)@9", "atom@9" },
	{ "M03 bank, execution 2, with internal events",
	  "shared int c = 100; shared int s = 100;\n"
	  "local int atomic = 0;\n"
	  "property atom: mttl @any(atomic > 0 -> !some(o : any, @o.@any.atomic == atomic));\n",
	  "#fmt 1\n"
	  "T2|user(atomic,1)!internal|1\n"
	  "T2|r(c)|2\n"
	  "T2|w(c)=50|3\n"
	  "T1|user(atomic,1)!internal|4\n"
	  "T1|r(c)|5\n"
	  "T1|r(s)|6\n"
	  "T1|user(atomic,0)!internal|7\n"
	  "T2|r(s)|8\n"
	  "T2|w(s)=150|9\n"
	  "T2|user(atomic,0)!internal|10\n",
	  "atom@9", NULL, "atom@9" },
	{ "M04 boolean version, blocks repeat",
	  "shared int c = 100; shared int s = 100;\n"
	  "local int in = 0; local int atomic = 0;\n"
	  "property bool: mttl @any(in == 1 -> !some(o : any, @o.@any.in == 1));\n"
	  "property atom: mttl @any(atomic > 0 -> !some(o : any, @o.@any.atomic == atomic));\n",
	  "#fmt 1\n"
	  "T1|user(in,1)!internal|1\n"
	  "T1|user(atomic,1)!internal|2\n"
	  "T1|w(c)=1|3\n"
	  "T1|user(in,0)!internal|4\n"
	  "T1|user(atomic,0)!internal|5\n"
	  "T2|r(c)|6\n"
	  "T2|w(s)=1|7\n"
	  "T1|user(in,1)!internal|8\n"
	  "T1|user(atomic,2)!internal|9\n"
	  "T1|r(s)|10\n"
	  "T1|user(in,0)!internal|11\n"
	  "T1|user(atomic,0)!internal|12\n",
	  "bool@10", NULL, "bool@10" },
	{ "M05 cross cycle",
	  "shared int c = 100; shared int s = 100;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T2|begin|1\n"
	  "T2|w(s)=1|2\n"
	  "T1|begin|3\n"
	  "T1|w(c)=1|4\n"
	  "T1|r(s)|5\n"
	  "T1|end|6\n"
	  "T2|r(c)|7\n"
	  "T2|end|8\n",
	  "", "", "" },
	{ "M06 bank with a lock per account",
	  "shared int c = 100; shared int s = 100;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T2|begin|1\n"
	  "T2|acq(lc)|2\n"
	  "T2|r(c)|3\n"
	  "T2|w(c)=50|4\n"
	  "T2|rel(lc)|5\n"
	  "T1|begin|6\n"
	  "T1|acq(lc)|7\n"
	  "T1|r(c)|8\n"
	  "T1|rel(lc)|9\n"
	  "T1|acq(ls)|10\n"
	  "T1|r(s)|11\n"
	  "T1|rel(ls)|12\n"
	  "T1|end|13\n"
	  "T2|acq(ls)|14\n"
	  "T2|r(s)|15\n"
	  "T2|w(s)=150|16\n"
	  "T2|rel(ls)|17\n"
	  "T2|end|18\n",
	  "atom@14 atom@15 atom@16 atom@17", "recover(T2)@14", NULL },
	{ "M07 bank under one lock",
	  "shared int c = 100; shared int s = 100;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T2|acq(m)|1\n"
	  "T2|begin|2\n"
	  "T2|w(c)=50|3\n"
	  "T2|w(s)=150|4\n"
	  "T2|end|5\n"
	  "T2|rel(m)|6\n"
	  "T1|acq(m)|7\n"
	  "T1|begin|8\n"
	  "T1|r(c)|9\n"
	  "T1|r(s)|10\n"
	  "T1|end|11\n"
	  "T1|rel(m)|12\n",
	  "", "", "" },
	{ "M08 locks alone are a path",
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T1|begin|1\n"
	  "T1|acq(l)|2\n"
	  "T1|rel(l)|3\n"
	  "T2|acq(l)|4\n"
	  "T2|rel(l)|5\n"
	  "T1|acq(l)|6\n"
	  "T1|rel(l)|7\n"
	  "T1|end|8\n",
	  "atom@6 atom@7", "recover(T1)@6", "atom@6 atom@7" },
	{ "M09 named flow: an unnamed racy variable carries nothing",
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T1|begin|1\n"
	  "T1|w(x)=1|2\n"
	  "T2|r(x)|3\n"
	  "T2|w(y)=1|4\n"
	  "T1|r(y)|5\n"
	  "T1|end|6\n",
	  "", "", "" },
	{ "M10 full flow: it does",
	  "flow all;\n"
	  "property atom: mttl @any(block > 0 -> !some(o : any, @o.@any.block == block)) handler recover;\n",
	  "#fmt 1\n"
	  "T1|begin|1\n"
	  "T1|w(x)=1|2\n"
	  "T2|r(x)|3\n"
	  "T2|w(y)=1|4\n"
	  "T1|r(y)|5\n"
	  "T1|end|6\n",
	  "atom@5", "recover(T1)@5", "atom@5" },
	{ "M11 race formula, write-write",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() && once w() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r() && once w())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T2|w(x)=2|2\n",
	  "ww@2", NULL, "ww@1 ww@2" },
	{ "M12 race formula as published, write then read",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() && once w() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r() && once w())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T2|r(x)|2\n",
	  "", NULL, "" },
	{ "M13 race formula corrected, write then read",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T2|r(x)|2\n",
	  "rw@2", NULL, "rw@2 wr@1" },
	{ "M14 race formula corrected, read then write",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|r(x)|1\n"
	  "T2|w(x)=1|2\n",
	  "wr@2", NULL, "rw@1 wr@2" },
	{ "M15 race formula corrected, locked",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|acq(l)|1\n"
	  "T1|w(x)=1|2\n"
	  "T1|rel(l)|3\n"
	  "T2|acq(l)|4\n"
	  "T2|w(x)=2|5\n"
	  "T2|rel(l)|6\n",
	  "", NULL, "" },
	{ "M16 race hidden by knowledge through another variable",
	  "flow all;\n"
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T1|r(y)|2\n"
	  "T2|w(y)=1|3\n"
	  "T2|w(x)=2|4\n",
	  "", NULL, "ww@1 ww@4" },
	{ "M17 the same with named flow",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T1|r(y)|2\n"
	  "T2|w(y)=1|3\n"
	  "T2|w(x)=2|4\n",
	  "ww@4", NULL, "ww@1 ww@4" },
	{ "M18 join: the end of a thread is an event",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|fork(T2)|1\n"
	  "T2|w(x)=1|2\n"
	  "T2|threadend|3\n"
	  "T1|join(T2)|4\n"
	  "T1|w(x)=2|5\n",
	  "", NULL, "" },
	{ "M19 join without an end event: false alarm",
	  "event w = write(x); event r = read(x);\n"
	  "property rw: mttl @any(r() -> !some(o : any, @o(w())));\n"
	  "property wr: mttl @any(w() -> !some(o : any, @o(r())));\n"
	  "property ww: mttl @any(w() -> !some(o : any, @o(w())));\n",
	  "#fmt 1\n"
	  "T1|fork(T2)|1\n"
	  "T2|w(x)=1|2\n"
	  "T1|join(T2)|3\n"
	  "T1|w(x)=2|4\n",
	  "ww@4", NULL, "ww@4" },
	{ "M20 figure 2 of the paper",
	  "shared int x; shared int y; shared int u; shared int v; thread t2 = \"T2\";\n"
	  "property predicted: mttl @t2(v == 5 -> x == 1 && y == 1 && u == 3);\n"
	  "property global: mttl @t2(v == 5 -> u == 9);\n",
	  "#fmt 1\n"
	  "T1|w(x)=1|1\n"
	  "T1|r(x)|2\n"
	  "T1|w(y)=1|3\n"
	  "T2|w(v)=1|4\n"
	  "T3|r(v)|5\n"
	  "T3|w(u)=2|6\n"
	  "T3|r(y)|7\n"
	  "T3|r(u)|8\n"
	  "T3|w(u)=3|9\n"
	  "T2|r(v)|10\n"
	  "T2|r(u)|11\n"
	  "T2|w(v)=4|12\n"
	  "T1|w(u)=9|13\n"
	  "T2|r(v)|14\n"
	  "T2|r(x)|15\n"
	  "T2|w(v)=5|16\n",
	  "global@16", NULL, NULL },
	{ "M21 remote expression",
	  "shared int x; shared int y; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t1(x >= @t2.y);\n",
	  "#fmt 1\n"
	  "T2|w(y)=3|1\n"
	  "T2|w(x)=5|2\n"
	  "T1|r(x)|3\n"
	  "T1|w(x)=2|4\n"
	  "T1|r(y)|5\n",
	  "p@4 p@5", NULL, "p@4 p@5" },
	{ "M22 nested knowledge",
	  "local int a = 0; shared int x; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t1(@t2.@t1.a == a);\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T1|w(x)=1|2\n"
	  "T1|user(a,2)!internal|3\n"
	  "T2|r(x)|4\n"
	  "T2|w(x)=2|5\n"
	  "T1|r(x)|6\n"
	  "T1|user(a,1)!internal|7\n",
	  "p@1 p@2 p@3 p@6", NULL, "p@1 p@2 p@3 p@6" },
	{ "M23 a thread knows itself",
	  "local int a = 0; thread t1 = \"T1\";\n"
	  "property p: mttl @t1(@t1.a == a && @t1.@t1.a == a);\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T1|user(a,2)!internal|2\n"
	  "T2|user(a,5)!internal|3\n"
	  "T1|user(a,3)!internal|4\n",
	  "", NULL, "" },
	{ "M24 only known threads are counted",
	  "local int ready = 0; shared int x; thread t1 = \"T1\";\n"
	  "property p: mttl @t1(all(o : any, @o.ready == 1));\n",
	  "#fmt 1\n"
	  "T1|user(ready,1)!internal|1\n"
	  "T2|user(ready,1)!internal|2\n"
	  "T2|w(x)=1|3\n"
	  "T1|r(x)|4\n"
	  "T2|fork(T3)|5\n"
	  "T2|w(x)=2|6\n"
	  "T1|r(x)|7\n"
	  "T3|user(ready,1)!internal|8\n"
	  "T3|w(x)=3|9\n"
	  "T1|r(x)|10\n",
	  "p@1 p@7", NULL, "p@1 p@4 p@7 p@10" },
	{ "M25 historically looks at the past",
	  "local int a = 0; thread t1 = \"T1\";\n"
	  "property p: mttl @t1(hist a == 0);\n",
	  "#fmt 1\n"
	  "T1|user(a,0)!internal|1\n"
	  "T1|user(a,1)!internal|2\n"
	  "T1|user(a,0)!internal|3\n"
	  "T1|w(x)=1|4\n"
	  "T1|user(a,0)!internal|5\n",
	  "p@2 p@3 p@4 p@5", NULL, "p@2 p@3 p@4 p@5" },
	{ "M26 prev at the first event",
	  "local int a = 0; thread t1 = \"T1\";\n"
	  "property s: mttl @t1(!start(a == 1));\n"
	  "property q: mttl @t1(prev a == 0);\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T1|user(a,2)!internal|2\n"
	  "T1|user(a,1)!internal|3\n",
	  "s@1 q@2 s@3 q@3", NULL, "q@2 q@3 s@1 s@3" },
	{ "M27 read-write lock: readers do not tell each other",
	  "local int a = 0; thread t2 = \"T2\"; thread t3 = \"T3\"; thread t1 = \"T1\";\n"
	  "property reader: mttl @t2(@t1.a == 0);\n"
	  "property writer: mttl @t3(@t1.a == 0);\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T1|racq(l)|2\n"
	  "T1|rrel(l)|3\n"
	  "T2|racq(l)|4\n"
	  "T2|rrel(l)|5\n"
	  "T3|acq(l)|6\n"
	  "T3|rel(l)|7\n",
	  "writer@6 writer@7", NULL, "reader@4 reader@5 writer@6 writer@7" },
	{ "M28 condition variable",
	  "local int a = 0; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t1(@t2.a == 0);\n",
	  "#fmt 1\n"
	  "T1|acq(m)|1\n"
	  "T1|rel(m)|2\n"
	  "T1|park(c,m)|3\n"
	  "T2|acq(m)|4\n"
	  "T2|user(a,1)!internal|5\n"
	  "T2|signal(c)|6\n"
	  "T2|user(a,2)!internal|7\n"
	  "T2|rel(m)|8\n"
	  "T1|wake(c)<6|9\n"
	  "T1|acq(m)|10\n",
	  /* All of T2 may come first, signal and all, while nobody waits: T1 hears of it by the mutex. */
	  "p@9 p@10", NULL, "p@1 p@2 p@3 p@9 p@10" },
	{ "M29 dynamic workers",
	  "local int slot = -1; shared int next; thread worker = \"worker\";\n"
	  "property own: mttl @worker(slot >= 0 -> all(o : worker, @o.slot != slot)) handler give_back;\n",
	  "#fmt 1\n"
	  "main|fork(worker_1)|1\n"
	  "main|fork(worker_2)|2\n"
	  "worker_1|rmw(next)=0>1|3\n"
	  "worker_1|user(slot,0)!internal|4\n"
	  "worker_1|w(next)=1|5\n"
	  "worker_2|r(next)|6\n"
	  "worker_2|user(slot,0)!internal|7\n"
	  "worker_2|w(next)=2|8\n"
	  "worker_2|user(slot,1)!internal|9\n",
	  "own@7 own@8", "give_back(worker_2)@7", "own@7 own@8" },
	{ "M30 mutual exclusion, violation seen",
	  "local int cs = 0; shared int flag;\n"
	  "property mutex: mttl @any(cs == 1 -> !some(o : any, @o.cs == 1)) handler back_off;\n",
	  "#fmt 1\n"
	  "T1|r(flag)|1\n"
	  "T1|user(cs,1)!internal|2\n"
	  "T1|w(flag)=1|3\n"
	  "T2|r(flag)|4\n"
	  "T2|user(cs,1)!internal|5\n"
	  "T2|user(cs,0)!internal|6\n"
	  "T1|user(cs,0)!internal|7\n"
	  "T1|w(flag)=0|8\n",
	  "mutex@5", "back_off(T2)@5", "mutex@5" },
	{ "M31 mutual exclusion, violation not seen",
	  "local int cs = 0; shared int flag;\n"
	  "property mutex: mttl @any(cs == 1 -> !some(o : any, @o.cs == 1));\n",
	  "#fmt 1\n"
	  "T1|r(flag)|1\n"
	  "T2|r(flag)|2\n"
	  "T1|user(cs,1)!internal|3\n"
	  "T2|user(cs,1)!internal|4\n"
	  "T1|user(cs,0)!internal|5\n"
	  "T2|user(cs,0)!internal|6\n",
	  "", NULL, "" },
	{ "M32 mutual exclusion, the same seen later",
	  "local int cs = 0; shared int flag;\n"
	  "property mutex: mttl @any(cs == 1 -> !some(o : any, @o.cs == 1));\n",
	  "#fmt 1\n"
	  "T1|r(flag)|1\n"
	  "T2|r(flag)|2\n"
	  "T1|user(cs,1)!internal|3\n"
	  "T1|w(flag)=1|4\n"
	  "T2|user(cs,1)!internal|5\n"
	  "T2|w(flag)=1|6\n"
	  "T1|user(cs,0)!internal|7\n"
	  "T2|user(cs,0)!internal|8\n",
	  "mutex@6", NULL, "mutex@4 mutex@6" },
	{ "M33 mutual exclusion, correct hand-over",
	  "local int cs = 0; shared int flag;\n"
	  "property mutex: mttl @any(cs == 1 -> !some(o : any, @o.cs == 1));\n",
	  "#fmt 1\n"
	  "T1|rmw(flag)=0>1|1\n"
	  "T1|user(cs,1)!internal|2\n"
	  "T1|user(cs,0)!internal|3\n"
	  "T1|aw(flag)=0|4\n"
	  "T2|rmw(flag)=0>1|5\n"
	  "T2|user(cs,1)!internal|6\n"
	  "T2|user(cs,0)!internal|7\n"
	  "T2|aw(flag)=0|8\n",
	  "", NULL, "" },
	{ "M34 handler: once for each time it becomes false",
	  "local int a = 0; thread t1 = \"T1\";\n"
	  "property p: mttl @t1(a < 2) handler reset;\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T2|user(a,5)!internal|2\n"
	  "T1|user(a,2)!internal|3\n"
	  "T1|w(x)=1|4\n"
	  "T1|user(a,0)!internal|5\n"
	  "T1|user(a,3)!internal|6\n",
	  "p@3 p@4 p@6", "reset(T1)@3 reset(T1)@6", "p@3 p@4 p@6" },
	{ "M35 no delivery without a send that is known",
	  "event sent = user(sent); event got = user(got); shared int box;\n"
	  "property known: mttl @any(got() -> some(o : any, @o(once sent())));\n",
	  "#fmt 1\n"
	  "T1|user(sent)|1\n"
	  "T1|w(box)=1|2\n"
	  "T2|r(box)|3\n"
	  "T2|user(got)|4\n"
	  "T3|user(got)|5\n",
	  "known@5", NULL, "known@5" },
	{ "M36 phases through a barrier",
	  "local int phase = 0;\n"
	  "property p: mttl @any(phase == 2 -> all(o : any, @o.phase >= 1));\n",
	  "#fmt 1\n"
	  "T1|user(phase,1)!internal|1\n"
	  "T1|give(b)|2\n"
	  "T2|user(phase,1)!internal|3\n"
	  "T2|give(b)|4\n"
	  "T1|take(b)|5\n"
	  "T2|take(b)|6\n"
	  "T1|user(phase,2)!internal|7\n"
	  "T2|user(phase,2)!internal|8\n",
	  "", NULL, "" },
	{ "M37 phases without waiting",
	  "local int phase = 0;\n"
	  "property p: mttl @any(phase == 2 -> all(o : any, @o.phase >= 1));\n",
	  "#fmt 1\n"
	  "T1|user(phase,1)!internal|1\n"
	  "T1|give(b)|2\n"
	  "T2|user(phase,1)!internal|3\n"
	  "T2|give(b)|4\n"
	  "T1|take(b)|5\n"
	  "T1|user(phase,2)!internal|6\n"
	  "T2|user(phase,2)!internal|7\n",
	  "p@7", NULL, "p@7" },
	{ "M38 since over knowledge",
	  "local int alarm = 0; shared int x; event ack = user(ack); event work = user(work); thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property calm: mttl @t1(work() -> !([start(@t2.alarm == 1), ack()) ));\n",
	  "#fmt 1\n"
	  "T1|user(work)|1\n"
	  "T2|user(alarm,1)!internal|2\n"
	  "T1|user(work)|3\n"
	  "T2|w(x)=1|4\n"
	  "T1|r(x)|5\n"
	  "T1|user(work)|6\n"
	  "T1|user(ack)|7\n"
	  "T1|user(work)|8\n",
	  "calm@6", NULL, "calm@6" },
	{ "M39 prediction: other order of two sections",
	  "local int busy = 0; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t1(@t2.busy == 0);\n",
	  "#fmt 1\n"
	  "T1|acq(l)|1\n"
	  "T1|rel(l)|2\n"
	  "T2|user(busy,1)!internal|3\n"
	  "T2|acq(l)|4\n"
	  "T2|rel(l)|5\n"
	  "T2|user(busy,0)!internal|6\n",
	  "", NULL, "p@1 p@2" },
	{ "M40 prediction: reads-from forbids it",
	  "local int busy = 0; shared int x; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t1(@t2.busy == 0);\n",
	  "#fmt 1\n"
	  "T1|acq(l)|1\n"
	  "T1|w(x)=1|2\n"
	  "T1|rel(l)|3\n"
	  "T2|user(busy,1)!internal|4\n"
	  "T2|acq(l)|5\n"
	  "T2|r(x)|6\n"
	  "T2|rel(l)|7\n"
	  "T2|user(busy,0)!internal|8\n",
	  "", NULL, "" },
	{ "M41 a child knows what its creator knew",
	  "local int a = 0; thread t1 = \"T1\"; thread t2 = \"T2\";\n"
	  "property p: mttl @t2(@t1.a == 0);\n"
	  "property q: mttl @t2(prev @t1.a == 0);\n",
	  "#fmt 1\n"
	  "T1|user(a,1)!internal|1\n"
	  "T1|fork(T2)|2\n"
	  "T1|user(a,2)!internal|3\n"
	  "T2|user(tick)|4\n"
	  "T2|user(tick)|5\n",
	  "p@4 p@5 q@5", NULL, "p@4 p@5 q@5" },
};

#endif /* UNIT_MTTL_VECTORS_H */
