/*
 * A report in a browser.  The data is JSON and goes into the page as text, never as markup: the only ways in
 * are `el' and `shape', which make elements, and text nodes.  doc/HTML.md says what the data holds.
 */
'use strict';
(function () {

const data = JSON.parse(document.getElementById('data').textContent);
const byId = (id) => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';
const LONGEST = 160; /* of a name */

/* ---- elements ---- */

/* What a program calls its things may hold anything; nothing of it turns the line around or hides. */
function plain(text) {
	const s = String(text).replace(/[\u0000-\u0008\u000a-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
		.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
	return s.length > LONGEST ? s.slice(0, LONGEST - 20) + '\u2026' + s.slice(-18) : s;
}

function add(parent, children) {
	for (const c of children.flat())
		if (c !== null && c !== undefined && c !== '')
			parent.append(c);
	return parent;
}

function set(e, attributes) {
	for (const [k, v] of Object.entries(attributes || {}))
		if (v !== null && v !== undefined && v !== false)
			e.setAttribute(k, v === true ? '' : v);
	return e;
}

function el(tag, attributes, ...children) {
	return add(set(document.createElement(tag), attributes), children);
}

function shape(tag, attributes, ...children) {
	return add(set(document.createElementNS(SVG, tag), attributes), children);
}

/* ---- words ---- */

const name = (i) => i === undefined || i < 0 ? '' : plain(data.names[i]);

function threadName(tid) {
	const t = data.threads[tid] || ['T' + tid];
	return plain(t[0]) + (t[1] ? ' "' + plain(t[1]) + '"' : '');
}

const threadShort = (tid) => plain((data.threads[tid] || ['T' + tid])[0]);

/* A place is [file, line, function, near, from, to]. */
function placeWords(p) {
	const file = p[0] >= 0 ? plain(data.files[p[0]].path) : '';
	const line = p[1] ? (file ? ':' : 'line ') + (p[3] ? '~' : '') + p[1] : '';
	return (file + line || '?') + (p[2] >= 0 ? ' in ' + name(p[2]) : '');
}

function placeShort(p) {
	if (!p || !p[1])
		return '';
	const path = p[0] >= 0 ? data.files[p[0]].path : '';
	return plain(path.slice(path.lastIndexOf('/') + 1)) + ':' + p[1];
}

const stackOf = (i) => i === undefined || i < 0 ? [] : data.stacks[i].map((k) => data.places[k]);

function sourceText(p, line) {
	return p[0] >= 0 ? data.files[p[0]].lines[line] : undefined;
}

const clean = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');

/* The line of a place with what is meant marked; cut: without the blanks in front. */
function markedLine(p, cut) {
	const text = sourceText(p, p[1]);
	if (text === undefined)
		return null;
	const from = p[5] ? p[4] : 0, to = p[5] || 0;
	const begin = cut ? Math.min(text.length - text.trimStart().length, to ? from : text.length) : 0;
	return [clean(text.slice(begin, from)), to ? el('mark', {}, clean(text.slice(from, to))) : '', clean(text.slice(Math.max(to, begin)))];
}

/* ---- source and stacks ---- */

function sourceTable(p) {
	const file = p[0] >= 0 ? data.files[p[0]] : null;
	const parts = [];
	if (!file || !p[1])
		return parts;
	if (file.state)
		parts.push(el('p', { class: file.newer ? 'note' : 'quiet' }, plain(file.path) + ' ' + file.state +
			(file.newer ? ': what is shown need not be what ran' : ': its lines are not shown')));
	const body = el('tbody');
	for (let line = p[1] - 4; line <= p[1] + 4; line++) {
		const text = sourceText(p, line);
		if (text === undefined)
			continue;
		const here = line === p[1];
		add(body, [el('tr', { class: here ? 'at' : null }, el('td', {}, String(line)),
			add(el('td'), here ? markedLine(p, false) : [clean(text)]))]);
	}
	if (body.childElementCount)
		parts.push(el('table', { class: 'source' }, body));
	return parts;
}

function stackList(stack) {
	return el('ol', { class: 'stack' }, ...stack.map((p) =>
		el('li', {}, placeWords(p), ...(markedLine(p, true) ? [el('br'), add(el('code'), markedLine(p, true))] : []))));
}

/* ---- a finding: what, how sure, where ---- */

function meaning(f) {
	if (f.status === 'replayed')
		return 'The program itself was forced into this run, and showed it.';
	if (f.status === 'observed')
		return 'It happened: the recorded run itself shows it.';
	if (f.sure === 'in the recorded order')
		return 'The recorded run itself goes wrong here.';
	if (f.status === 'predicted')
		return 'The recorded run did not show this. It proves that another run is possible that does, and an ' +
			'independent checker has certified that run, event by event.' +
			(f.model === 'dep' ? ' In it some reads may see other values; nothing that leads here depends on them.' : '');
	return 'A warning: nobody has proved that it can happen.';
}

function heldWords(target) {
	if (!target.held.length)
		return el('p', { class: 'held quiet' }, 'no lock held');
	const p = el('p', { class: 'held' }, 'holds ');
	target.held.forEach((h, i) => add(p, [i ? ', ' : '', el('span', { class: 'lock' }, name(h[0])),
		stackOf(h[1])[0] ? ' taken at ' + placeShort(stackOf(h[1])[0]) : '']));
	return p;
}

function placeCard(target) {
	const stack = stackOf(target.s);
	const own = stack[0];
	const card = el('section', { class: 'place' },
		el('h4', {}, threadName(target.t) + ': ', el('span', { class: /read/.test(target.op) ? 'op read' : 'op' }, target.op)),
		el('div', { class: 'where' }, own ? placeWords(own) : 'place not known'), heldWords(target));
	if (own)
		add(card, sourceTable(own));
	if (stack.length > 1)
		add(card, [el('details', { open: stack.length < 5 }, el('summary', {}, 'called from'), stackList(stack.slice(1)))]);
	return card;
}

/* Of a split block: its first access, what comes between, its last one. */
function inOrder(f) {
	const split = f.scene && f.scene.split;
	return split ? [...f.targets].sort((a, b) => split.indexOf(a.p) - split.indexOf(b.p)) : f.targets;
}

/* ---- the circle of a deadlock ---- */

let markers = 0;

function arrowHead(cls) {
	const id = 'head' + (++markers);
	return { id, def: shape('marker', { id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7,
		orient: 'auto-start-reverse' }, shape('path', { d: 'M0 0L10 5L0 10z', class: cls })) };
}

function boxed(g, x, y, text, cls) {
	const w = Math.max(64, text.length * 8 + 20);
	add(g, [shape('rect', { x: x - w / 2, y: y - 15, width: w, height: 30, rx: cls === 'thread' ? 6 : 15, class: cls }),
		shape('text', { x, y: y + 5, 'text-anchor': 'middle' }, text)]);
	return w;
}

/* From the border of one box to the border of the other. */
function link(x1, y1, w1, x2, y2, w2) {
	const cut = (x, y, w, tx, ty) => {
		const dx = tx - x, dy = ty - y;
		const k = Math.min(dx ? (w / 2 + 4) / Math.abs(dx) : 9, dy ? 20 / Math.abs(dy) : 9, .45);
		return [x + dx * k, y + dy * k];
	};
	const [a, b] = cut(x1, y1, w1, x2, y2), [c, d] = cut(x2, y2, w2, x1, y1);
	return 'M' + a + ' ' + b + 'L' + c + ' ' + d;
}

function circlePicture(f) {
	const n = f.circle.length;
	const rx = 150 + 16 * n, ry = 90 + 16 * n, cx = rx + 90, cy = ry + 30;
	const svg = shape('svg', { class: 'circle', viewBox: '0 0 ' + 2 * cx + ' ' + 2 * cy, role: 'img',
		'aria-label': f.circle.map((c) => threadName(c.t) + ' waits for ' + (c.on || 'another')).join('; ') });
	const wants = arrowHead('wants-head'), holds = arrowHead('holds-head');
	const at = (i) => { const a = (i / (2 * n)) * 2 * Math.PI - Math.PI / (n === 1 ? 1 : 2); return [cx + rx * Math.cos(a), cy + ry * Math.sin(a)]; };
	add(svg, [shape('defs', {}, wants.def, holds.def)]);
	const boxes = shape('g');
	const widths = f.circle.map((c, i) => [boxed(boxes, ...at(2 * i), threadName(c.t).slice(0, 24), 'thread'),
		boxed(boxes, ...at(2 * i + 1), plain(c.on || 'waits').slice(0, 24), 'lock')]);
	f.circle.forEach((c, i) => {
		const [x1, y1] = at(2 * i), [x2, y2] = at(2 * i + 1), [x3, y3] = at((2 * i + 2) % (2 * n));
		const next = widths[(i + 1) % n][0];
		const line = (cls, d, head, words) => shape('g', {}, shape('path', { class: cls, d, 'marker-end': 'url(#' + head + ')' }), shape('title', {}, words));
		add(svg, [line('wants', link(x1, y1, widths[i][0], x2, y2, widths[i][1]), wants.id,
			threadName(c.t) + ' waits here: ' + stackOf(c.s).map(placeWords).join(', called from '))]);
		if (f.closed !== false || i + 1 < n)
			add(svg, [line('holds', link(x2, y2, widths[i][1], x3, y3, next), holds.id,
				c.by ? 'held by ' + threadName(c.by) + ', taken at ' + stackOf(c.hs).map(placeWords).join(', called from ') : 'to be given by the next one')]);
	});
	add(svg, [boxes, shape('text', { class: 'say', x: cx, y: cy + 4, 'text-anchor': 'middle' }, 'dashed: waits for')]);
	add(svg, [shape('text', { class: 'say', x: cx, y: cy + 20, 'text-anchor': 'middle' }, 'solid: held by')]);
	return svg;
}

/* ---- the two runs ---- */

const ROW = 26, TOP = 34, LEFT = 46, CHAR = 7.23;

/* Rows of a run: {e: event}, {next: [events]}, {fold: [events], counts, key}. */
function rowsOf(scene, which, events, opened) {
	const rows = [], next = which === 'predicted' ? scene.next : [];
	let fold = null;
	const shut = () => { if (fold) rows.push(fold); fold = null; };
	for (const item of scene[which]) {
		const e = Array.isArray(item) ? null : events.get(item);
		if (e && e.m) {
			shut();
			rows.push({ e });
			continue;
		}
		if (!fold)
			fold = { fold: [], counts: new Array(scene.lanes.length + 1).fill(0), key: rows.length ? rows[rows.length - 1].key2 : 'first' };
		if (e) {
			fold.fold.push(e);
			fold.counts[scene.lanes.indexOf(e.t)]++;
		} else {
			item.forEach((n, i) => { fold.counts[i] += n; });
			fold.lost = true;
		}
	}
	shut();
	if (next.length)
		rows.push({ next: next.map((p) => events.get(p)).filter(Boolean) });
	const out = [];
	rows.forEach((r, i) => {
		if (r.fold) {
			r.key = which + i;
			r.open = opened.has(r.key);
			out.push(r);
			if (r.open)
				r.fold.forEach((e) => out.push({ e, minor: true }));
		} else {
			out.push(r);
		}
	});
	return out;
}

const eventsIn = (row) => row.e ? [row.e] : row.next || [];

function eventWords(e) {
	if (e.l && e.c === 'o')
		return e.l;
	return name(e.o) + (e.n !== undefined ? ' ' + name(e.n) : '') + (e.v !== undefined ? ' = ' + plain(e.v) : '') + (e.l ? ' (' + plain(e.l) + ')' : '');
}

/* Who hands what to whom: pairs of rows, by the order that is drawn. */
function arrowsOf(rows, predicted) {
	const at = new Map(), released = new Map(), given = new Map(), forked = new Map(), last = new Map(), arrows = [];
	rows.forEach((row, i) => eventsIn(row).forEach((e) => {
		const waiting = Boolean(row.next);
		const to = (kind, from) => { if (from && from.e.t !== e.t) arrows.push({ kind, from: from.i, a: from.e, to: i, b: e }); };
		if (forked.has(e.t)) {
			to('life', forked.get(e.t));
			forked.delete(e.t);
		}
		if (e.f && at.has(e.f) && !(predicted && (e.d || waiting)))
			to('reads', at.get(e.f));
		if (e.c === 'a' && !waiting)
			to('hand', released.get(e.x));
		if (e.c === 't' && e.x)
			to('signal', given.get(e.x));
		if (e.c === 'j' && !waiting)
			to('life', last.get(e.e));
		const me = { i, e };
		at.set(e.p, me);
		last.set(e.t, me);
		if (e.c === 'l')
			released.set(e.x, me);
		if (e.c === 'g')
			given.set(e.x, me);
		if (e.c === 'f')
			forked.set(e.e, me);
	}));
	return arrows;
}

/* Locks held as bars: [lane, lock, first row, last row]. */
function barsOf(rows, lanes) {
	const bars = [];
	lanes.forEach((tid, lane) => {
		const open = new Map();
		let before = -1;
		const close = (x, row) => { const o = open.get(x); open.delete(x); if (o && row > o[0]) bars.push({ lane, x, n: o[1], from: o[0], to: row }); };
		rows.forEach((row, i) => eventsIn(row).filter((e) => e.t === tid).forEach((e) => {
			const held = new Map((e.h || []).map((h) => [h[0], h[1]]));
			for (const x of [...open.keys()])
				if (!held.has(x))
					close(x, before + .5);
			for (const [x, n] of held)
				if (!open.has(x))
					open.set(x, [Math.max(before + .5, -.4), n]);
			if (!row.next && e.c === 'a')
				open.set(e.x, open.get(e.x) || [i, e.n]);
			if (e.c === 'l')
				close(e.x, i);
			before = i;
		}));
		for (const x of [...open.keys()])
			close(x, rows.length - .5);
	});
	return bars;
}

/* What variables hold, and who holds which lock, after the row. */
function valuesAt(view, step) {
	const seen = new Set();
	for (let i = 0; i <= step; i++)
		eventsIn(view.rows[i]).forEach((e) => { if (!view.rows[i].next) seen.add(e.p); });
	let now = null, before = null;
	for (const row of view.scene[view.which + '_values'] || []) {
		if (row[0] !== 0 && !seen.has(row[0]))
			continue;
		before = now;
		now = row;
	}
	const last = view.rows[step] && eventsIn(view.rows[step])[0];
	const known = (i) => (view.scene[view.which + '_values'] || []).some((r) => r[i + 1] !== null);
	return view.scene.variables.map((v, i) => (known(i) && { name: plain(v), value: now && now[i + 1] !== null ? plain(now[i + 1]) : '?',
		changed: Boolean(now && last && now[0] === last.p && (!before || before[i + 1] !== now[i + 1])) })).filter(Boolean);
}

function holders(view, step) {
	const held = new Map();
	for (const bar of view.bars)
		if (bar.from <= step && bar.to > step)
			held.set(bar.x, [bar.n, view.scene.lanes[bar.lane], view.hues.get(bar.x)]);
	return [...held.values()];
}

const cut = (text, most) => text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + '\u2026';

function drawRow(view, row, i) {
	const y = TOP + i * ROW + ROW / 2;
	const first = eventsIn(row)[0];
	const g = shape('g', { class: 'row' + (row.fold ? ' fold' + (row.open ? '' : ' shut') : ''), 'data-row': i });
	add(g, [shape('rect', { class: 'band' + (row.next ? ' clash-band' : ''), x: 1, y: y - ROW / 2 + 1, width: view.width - 2, height: ROW - 2, rx: 4 })]);
	if (row.fold) {
		const n = row.counts.reduce((a, b) => a + b, 0), can = row.fold.length > 0;
		set(g, { tabindex: can ? 0 : null, role: can ? 'button' : null, 'aria-expanded': can ? String(row.open) : null });
		add(g, [shape('text', { x: LEFT - 8, y: y + 4, class: 'num' }, can ? (row.open ? '\u25be' : '\u25b8') : '')]);
		const others = row.counts[view.lanes.length], last = view.lanes.length - 1;
		row.counts.slice(0, -1).forEach((c, lane) => {
			if (c || (others && lane === last))
				add(g, [shape('text', { x: view.x(lane) + 13, y: y + 4 }, '\u2026 ' + [c ? c + (c === 1 ? ' event' : ' events') : '',
					others && lane === last ? others + ' of others' : ''].filter(Boolean).join(', '))]);
		});
		add(g, [shape('title', {}, n + ' event' + (n === 1 ? '' : 's') + (can ? ' that do not matter here: Enter or a click ' + (row.open ? 'closes' : 'opens') + ' them' : ', too many to bring along'))]);
		return g;
	}
	add(g, [shape('text', { x: LEFT - 8, y: y + 4, class: 'num' }, row.next ? '' : String(first.p))]);
	eventsIn(row).forEach((e) => {
		const x = view.x(view.lanes.indexOf(e.t)), where = placeShort(stackOf(e.s)[0]);
		const room = Math.floor((view.lane - 22 - 7 * view.most) / CHAR), tail = where ? where.slice(where.lastIndexOf(':')) : '';
		const fits = eventWords(e).length + tail.length + 1 <= room;
		const what = cut(eventWords(e), fits ? room - tail.length - 1 : room);
		const part = shape('g', { class: view.targets.has(e.p) ? 'target' : null, 'data-event': e.p },
			e.c === 'a' || e.c === 'l' || e.c === 'q' ? shape('rect', { class: 'dot ' + e.c, x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 }) :
				shape('circle', { class: 'dot ' + e.c, cx: x, cy: y, r: 5.5 }),
			shape('text', { class: 'what', x: x + 13, y: y + 4.5 }, what + (e.d && view.which === 'predicted' ? ' \u2248' : '')),
			tail && fits ? shape('text', { class: 'at', x: x + 13 + (what.length + 1 + (e.d && view.which === 'predicted' ? 2 : 0)) * CHAR, y: y + 4.5 }, tail) : '');
		add(g, [part]);
	});
	return g;
}

function drawArrow(view, a) {
	const x1 = view.x(view.lanes.indexOf(a.a.t)), x2 = view.x(view.lanes.indexOf(a.b.t));
	const y1 = TOP + a.from * ROW + ROW / 2, y2 = TOP + a.to * ROW + ROW / 2;
	/* Down beside its lane, then across where no label is: to the right in the row itself, to the left above it. */
	const down = x1 + { hand: 4, reads: 8, life: 0, signal: -4 }[a.kind], right = x2 > x1;
	const d = right ? 'M' + down + ' ' + (y1 + 6) + 'V' + (y2 - 8) + 'Q' + down + ' ' + y2 + ' ' + (down + 8) + ' ' + y2 + 'H' + (x2 - 8) :
		'M' + down + ' ' + (y1 + 6) + 'V' + (y2 - ROW / 2 - 8) + 'Q' + down + ' ' + (y2 - ROW / 2) + ' ' + (down - 8) + ' ' + (y2 - ROW / 2) +
		'H' + (x2 + 10) + 'Q' + (x2 + 2) + ' ' + (y2 - ROW / 2) + ' ' + x2 + ' ' + (y2 - 7);
	return shape('path', { class: 'arrow ' + a.kind, 'data-from': a.from, 'data-to': a.to, 'marker-end': 'url(#' + view.heads[a.kind] + ')', d });
}

function drawBars(view) {
	const depth = new Map();
	return view.bars.map((b) => {
		const key = b.lane, used = depth.get(key) || [];
		let k = 0;
		while (used[k] !== undefined && used[k] > b.from)
			k++;
		used[k] = b.to;
		depth.set(key, used);
		return shape('rect', { class: 'bar ' + view.hues.get(b.x), x: view.x(b.lane) - 13 - 7 * k, width: 5, rx: 2.5,
			y: TOP + b.from * ROW + ROW / 2, height: Math.max(4, (b.to - b.from) * ROW) }, shape('title', {}, 'holds ' + name(b.n)));
	});
}

/* The block, and what comes between: a bracket beside its lane. */
function drawBlock(view) {
	const split = view.scene.split;
	const rowOf = (p) => view.rows.findIndex((r) => eventsIn(r).some((e) => e.p === p));
	if (!split)
		return [];
	const a = rowOf(split[0]), c = rowOf(split[3]);
	if (a < 0 || c < 0)
		return [];
	const e = eventsIn(view.rows[a])[0], x = view.x(view.lanes.indexOf(e.t)), y1 = TOP + a * ROW + 4, y2 = TOP + (c + 1) * ROW - 4;
	return [shape('rect', { class: 'block', x: x - 10, y: y1, width: 20, height: y2 - y1, rx: 9 }, shape('title', {}, 'the block: nothing of another thread was to come between'))];
}

function drawEnd(view) {
	const i = view.rows.length - 1, row = view.rows[i];
	if (!row || !row.next || row.next.length < 2)
		return [];
	const xs = row.next.map((e) => view.x(view.lanes.indexOf(e.t))).sort((a, b) => a - b);
	const y = TOP + (i + 1) * ROW;
	return [shape('path', { class: 'clash', fill: 'none', d: 'M' + xs[0] + ' ' + (y - 7) + 'v9H' + xs[xs.length - 1] + 'v-9' }),
		shape('text', { class: 'clash-text', x: xs[0] + 10, y: y + 16 }, view.finding.kind === 'race' ? 'nothing orders these two' : 'each waits for another: nothing goes on')];
}

function draw(view) {
	const room = Math.max(260, (view.box.clientWidth || 560) - 4);
	view.rows = rowsOf(view.scene, view.which, view.events, view.opened);
	view.bars = barsOf(view.rows, view.lanes);
	view.most = Math.min(3, Math.max(0, ...view.lanes.map((t, i) => new Set(view.bars.filter((b) => b.lane === i).map((b) => b.x)).size)));
	view.lane = Math.max(176, Math.floor((room - LEFT) / view.lanes.length));
	view.x = (lane) => LEFT + 14 + 7 * view.most + lane * view.lane;
	view.width = LEFT + view.lane * view.lanes.length;
	const height = TOP + view.rows.length * ROW + 26;
	const svg = shape('svg', { width: view.width, height, viewBox: '0 0 ' + view.width + ' ' + height, role: 'group',
		'aria-label': view.which + ' run, a lane for each thread, time runs down' });
	const heads = ['hand', 'reads', 'life', 'signal'].map((k) => { const h = arrowHead('head-' + k); view.heads[k] = h.id; return h.def; });
	add(svg, [shape('defs', {}, ...heads)]);
	const rows = shape('g');
	view.rows.forEach((r, i) => add(rows, [drawRow(view, r, i)]));
	view.lanes.forEach((tid, i) => add(svg, [shape('line', { class: 'lane', x1: view.x(i), x2: view.x(i), y1: TOP - 6, y2: TOP + view.rows.length * ROW }),
		shape('text', { class: 'head', x: view.x(i) - 6, y: 18 }, cut(threadName(tid), Math.floor(view.lane / CHAR) - 2), shape('title', {}, threadName(tid)))]));
	add(svg, [arrowsOf(view.rows, view.which === 'predicted').map((a) => drawArrow(view, a)), rows, drawBars(view), drawBlock(view), drawEnd(view)].flat());
	view.box.replaceChildren(svg);
	view.range.max = String(Math.max(0, view.rows.length - 1));
	view.step = Math.min(view.step < 0 ? view.rows.length - 1 : view.step, view.rows.length - 1);
	show(view);
}

function aboutEvent(view, e, waiting) {
	const parts = [el('b', {}, eventWords(e)), ' \u2014 event ' + e.p + ' of ' + threadName(e.t)];
	const stack = stackOf(e.s);
	if (waiting)
		parts.push(view.finding.kind === 'race' ? ', which is next' : ', where it waits');
	if (e.d && view.which === 'predicted')
		parts.push('. It may see another value here than ' + (e.v === undefined ? 'it saw' : plain(e.v)) + ' in the recorded run; nothing that leads here depends on it');
	else if (waiting && e.v !== undefined)
		parts.push(' (the value is that of the recorded run)');
	else if (e.f)
		parts.push(', written by event ' + e.f);
	if (e.h)
		parts.push('; holds ' + e.h.map((h) => name(h[1])).join(', '));
	return el('div', {}, ...parts, stack.length ? stackList(stack.slice(0, 6)) : '');
}

function show(view) {
	const row = view.rows[view.step], hovered = view.hover === null ? null : view.rows[view.hover];
	const told = hovered || row;
	view.range.value = String(view.step);
	view.range.setAttribute('aria-valuetext', row ? eventsIn(row).map(eventWords).join(' and ') || 'folded events' : '');
	view.output.textContent = 'step ' + (view.step + 1) + ' of ' + view.rows.length;
	view.box.querySelectorAll('.row').forEach((g) => {
		const i = Number(g.dataset.row);
		g.classList.toggle('now', i === view.step);
		g.classList.toggle('later', i > view.step);
	});
	const lit = view.hover === null ? view.step : view.hover;
	view.box.querySelectorAll('.arrow').forEach((a) => {
		a.classList.toggle('later', Number(a.dataset.to) > view.step);
		a.classList.toggle('lit', Number(a.dataset.to) === lit || Number(a.dataset.from) === lit);
	});
	view.values.replaceChildren(...valuesAt(view, view.step).map((v) => el('span', { class: v.changed ? 'changed' : null }, v.name + ' = ' + v.value)),
		...holders(view, view.step).map((h) => el('span', {}, el('span', { class: 'swatch ' + h[2] }), name(h[0]) + ' held by ' + threadShort(h[1]))));
	view.about.replaceChildren(...(told ? eventsIn(told).map((e) => aboutEvent(view, e, Boolean(told.next))) : []));
	if (told && told.fold)
		view.about.replaceChildren(el('span', { class: 'quiet' }, told.counts.reduce((a, b) => a + b, 0) + ' events that do not matter here'));
}

function goTo(view, step, scroll) {
	view.step = Math.max(0, Math.min(view.rows.length - 1, step));
	view.hover = null;
	show(view);
	if (!scroll)
		return;
	const y = TOP + view.step * ROW;
	if (y < view.box.scrollTop + ROW || y > view.box.scrollTop + view.box.clientHeight - 2 * ROW)
		view.box.scrollTop = y - view.box.clientHeight / 2;
}

function toggle(view, row) {
	if (!row.fold || !row.fold.length)
		return;
	if (view.opened.has(row.key))
		view.opened.delete(row.key);
	else
		view.opened.add(row.key);
	const atEnd = view.step === view.rows.length - 1;
	view.step = atEnd ? -1 : view.step;
	draw(view);
	const again = [...view.box.querySelectorAll('.fold')].find((g) => view.rows[Number(g.dataset.row)].key === row.key);
	if (again)
		again.focus();
}

function twins(view, row) {
	const positions = new Set(row ? eventsIn(row).map((e) => String(e.p)) : []);
	for (const other of views)
		other.box.querySelectorAll('.row').forEach((g) => g.classList.toggle('twin', other !== view &&
			[...g.querySelectorAll('[data-event]')].some((e) => positions.has(e.dataset.event))));
}

function listen(view) {
	const rowAt = (event) => { const g = event.target.closest ? event.target.closest('.row') : null; return g ? Number(g.dataset.row) : null; };
	const hover = (i) => { if (view.hover !== i) { view.hover = i; show(view); twins(view, i === null ? null : view.rows[i]); } };
	view.box.addEventListener('mouseover', (e) => hover(rowAt(e)));
	view.box.addEventListener('mouseleave', () => hover(null));
	view.box.addEventListener('focusin', (e) => hover(rowAt(e)));
	view.box.addEventListener('focusout', () => hover(null));
	view.box.addEventListener('click', (e) => {
		const i = rowAt(e);
		if (i === null)
			return;
		if (view.rows[i].fold)
			toggle(view, view.rows[i]);
		else
			goTo(view, i, false);
	});
	view.box.addEventListener('keydown', (e) => {
		const i = rowAt(e);
		if (i !== null && (e.key === 'Enter' || e.key === ' ')) {
			e.preventDefault();
			toggle(view, view.rows[i]);
		}
	});
	view.range.addEventListener('input', () => goTo(view, Number(view.range.value), true));
}

let views = [];

const hueOf = (scene, events) => {
	const hues = new Map();
	for (const e of events.values()) {
		if ((e.c === 'a' || e.c === 'l') && e.x && !hues.has(e.x))
			hues.set(e.x, 'hue' + (hues.size % 6 + 1));
		for (const h of e.h || [])
			if (!hues.has(h[0]))
				hues.set(h[0], 'hue' + (hues.size % 6 + 1));
	}
	return hues;
};

function runPanel(f, which, events, hues) {
	const range = el('input', { type: 'range', min: 0, max: 0, step: 1, 'aria-label': 'step through the ' + which + ' run' });
	const view = { finding: f, scene: f.scene, which, events, hues, lanes: f.scene.lanes, opened: new Set(), heads: {}, step: -1, hover: null,
		targets: new Set(f.targets.map((t) => t.p)), range, output: el('output'), values: el('div', { class: 'values', 'aria-live': 'polite' }),
		box: el('div', { class: 'picture' }), about: el('div', { class: 'about' }) };
	const move = (words, by) => { const b = el('button', { type: 'button', title: words }, by < 0 ? '\u2039' : '\u203a'); b.addEventListener('click', () => goTo(view, view.step + by, true)); return b; };
	const words = which === 'recorded' ? ['The recorded run', 'what happened while foresee looked'] :
		['The predicted run', 'the same events in another order, which the recording proves possible'];
	view.panel = el('section', { class: 'run ' + which }, el('h4', {}, words[0]), el('p', { class: 'aim' }, words[1]),
		el('div', { class: 'stepper' }, move('a step back', -1), range, move('a step on', 1), view.output), view.values, view.box, view.about);
	listen(view);
	return view;
}

function legend(scene) {
	const sample = (inner) => shape('svg', { width: 26, height: 12, 'aria-hidden': 'true' }, inner);
	const line = (kind) => sample(shape('path', { class: 'arrow ' + kind, d: 'M2 6H24' }));
	const dot = (cls) => shape('svg', { width: 12, height: 12, class: 'run-dot', 'aria-hidden': 'true' }, shape('circle', { class: cls, cx: 6, cy: 6, r: 5 }));
	return el('ul', { class: 'legend run-legend' }, el('li', {}, line('hand'), 'a lock is handed over'), el('li', {}, line('reads'), 'a read sees that write'),
		el('li', {}, line('life'), 'a thread is started or joined'), el('li', {}, line('signal'), 'a signal, a post'),
		el('li', {}, dot('head-reads'), 'read'), el('li', {}, dot('dot-write'), 'write'), el('li', {}, 'bars: locks held'), el('li', {}, '\u2248 may see another value'));
}

function runsSection(f) {
	if (!f.scene)
		return f.no_scene && f.targets.length ? [el('p', { class: 'quiet' }, 'No picture of it: ' + f.no_scene + '.')] : [];
	const events = new Map(f.scene.events.map((e) => [e.p, e]));
	const hues = hueOf(f.scene, events);
	views = (f.scene.predicted ? ['recorded', 'predicted'] : ['recorded']).map((w) => runPanel(f, w, events, hues));
	return [el('h3', {}, f.scene.predicted ? 'The two runs' : 'The run'), el('div', { class: 'runs' }, ...views.map((v) => v.panel)), legend(f.scene)];
}

/* ---- the lattice of a property ---- */

function pathTable(l, path, moves) {
	const body = el('tbody', {}, el('tr', {}, el('th', {}, 'event'), el('th', {}, 'values then')), el('tr', {}, el('td', {}, 'start'), el('td', {}, plain(l.cuts[path[0]][3]))));
	for (let i = 1; i < path.length; i++) {
		const move = moves.get(path[i - 1] + '-' + path[i]);
		add(body, [el('tr', {}, el('td', {}, move ? plain(l.labels[move[2]] || 'event ' + move[2]) : ''), el('td', {}, plain(l.cuts[path[i]][3]) + (l.cuts[path[i]][2] && i + 1 === path.length ? '  \u2190 violated' : '')))]);
	}
	return el('table', { class: 'path' }, body);
}

function latticeSection(f) {
	const l = data.lattice, path = l && l.paths[f.id];
	if (!path)
		return f.formula && !l && f.scene ? [el('p', { class: 'quiet' }, 'All runs together are too many to draw here: the path of this one is above.')] : [];
	const onPath = new Set(path), moves = new Map(l.edges.map((e) => [e[0] + '-' + e[1], e]));
	const levels = [];
	l.cuts.forEach((c, i) => { (levels[c[0]] = levels[c[0]] || []).push(i); });
	const widest = Math.max(...levels.map((x) => x.length)), words = l.cuts.length <= 60;
	const gapX = words ? 118 : 30, gapY = 46, width = Math.max(widest, 2) * gapX + 40, height = levels.length * gapY + 20;
	const at = l.cuts.map(() => null);
	levels.forEach((nodes, y) => nodes.forEach((n, x) => { at[n] = [width / 2 + (x - (nodes.length - 1) / 2) * gapX, 20 + y * gapY]; }));
	const svg = shape('svg', { width, height, viewBox: '0 0 ' + width + ' ' + height, role: 'group', 'aria-label': 'all runs: each point is a state that some run passes' });
	const about = el('p', { class: 'quiet', 'aria-live': 'polite' }, 'Each point is a cut: so many events of each thread have happened. Point at one, or go there with Tab, to see what holds there.');
	const steps = new Set(path.slice(1).map((n, i) => path[i] + '-' + n));
	for (const e of l.edges) {
		const [x1, y1] = at[e[0]], [x2, y2] = at[e[1]];
		const cls = steps.has(e[0] + '-' + e[1]) ? 'edge path' : l.cuts[e[0]][1] && l.cuts[e[1]][1] ? 'edge observed' : 'edge';
		add(svg, [shape('line', { class: cls, x1, y1, x2, y2 }, shape('title', {}, plain(l.labels[e[2]] || 'event ' + e[2])))]);
	}
	l.cuts.forEach((c, i) => {
		const [x, y] = at[i], counts = c.slice(4).join(' ');
		const tell = () => { about.textContent = (c[1] ? 'The recorded run passes here. ' : '') + plain(c[3]) + (c[2] === 2 ? ' \u2014 violated' : c[2] ? ' \u2014 violated in some runs' : '') + ' (' + counts + ')'; };
		const g = shape('g', { class: 'node', tabindex: onPath.has(i) ? 0 : -1 }, shape('circle', { class: 'cut' + (c[1] ? ' observed' : '') + (c[2] ? ' bad' + (c[2] === 2 ? ' bad2' : '') : ''), cx: x, cy: y, r: 8 }),
			words ? shape('text', { x: x + 13, y: y + 4 }, counts) : '', shape('title', {}, plain(c[3]) + ' (' + counts + ')'));
		g.addEventListener('mouseover', tell);
		g.addEventListener('focus', tell);
		add(svg, [g]);
	});
	return [el('h3', {}, 'All runs: ' + l.cuts.length + ' states that some run passes'),
		el('ul', { class: 'legend' }, el('li', {}, 'thick: the recorded run'), el('li', {}, 'red line: the run that violates it'), el('li', {}, 'filled: violated there')),
		el('div', { class: 'lattice' }, svg), about, el('h3', {}, 'The violating run'), pathTable(l, path, moves)];
}

/* ---- one finding, and all of them ---- */

function findingParts(f) {
	const warn = f.status === 'warning' ? ' warning' : '';
	const parts = [el('h2', {}, el('span', { class: 'number' }, String(f.id)), plain(f.title)),
		el('p', {}, el('span', { class: 'badge' + warn }, f.sure), el('span', { class: 'badge kind' }, f.kind),
			f.known ? el('span', { class: 'badge kind', title: 'the baseline has it' }, 'known') : ''), el('p', { class: 'meaning' }, meaning(f))];
	if (f.why)
		parts.push(el('p', { class: 'note' }, 'Only a warning: ' + plain(f.why)));
	if (f.replay)
		parts.push(el('p', { class: 'note' }, (f.status === 'replayed' ? 'Replayed: ' : 'Not replayed: ') + plain(f.replay)));
	if (f.formula)
		parts.push(el('pre', { class: 'text' }, clean(f.formula)));
	if (f.circle && f.circle.length)
		parts.push(el('h3', {}, 'Who waits for whom'), circlePicture(f));
	if (f.targets.length)
		parts.push(el('div', { class: 'places' }, ...inOrder(f).map(placeCard)));
	parts.push(...runsSection(f), ...latticeSection(f));
	if (f.text)
		parts.push(el('details', { open: !f.scene }, el('summary', {}, 'the same as text'), el('pre', { class: 'text' }, clean(f.text))));
	return parts;
}

let shown = [], current = null;

function findingFiles(f) {
	return new Set(f.targets.flatMap((t) => stackOf(t.s)).filter((p) => p[0] >= 0).map((p) => p[0]));
}

const search = data.findings.map((f) => (f.title + ' ' + f.object + ' ' + f.kind + ' ' + f.targets.flatMap((t) => stackOf(t.s).map(placeWords)).join(' ')).toLowerCase());
const filesOf = data.findings.map(findingFiles);
const buttons = new Map();

function choose(f, focus) {
	current = f;
	for (const [id, b] of buttons)
		b.setAttribute('aria-current', String(f !== null && id === f.id));
	const detail = byId('detail');
	views = [];
	if (!f) {
		detail.replaceChildren(el('p', { class: 'quiet' }, data.findings.length ? 'No finding fits.' : 'Nothing was found.'));
		return;
	}
	const turn = (words, by) => { const to = shown[shown.indexOf(f) + by], b = el('button', { type: 'button', disabled: !to }, words); b.addEventListener('click', () => choose(to, true)); return b; };
	detail.replaceChildren(...findingParts(f), el('p', { class: 'turn' }, turn('\u2190 previous', -1), turn('next \u2192', 1)));
	views.forEach(draw);
	if (focus) {
		window.scrollTo(0, 0);
		detail.focus({ preventScroll: true });
		buttons.get(f.id).scrollIntoView({ block: 'nearest' });
	}
	if (location.hash !== '#' + f.id)
		history.replaceState(null, '', '#' + f.id);
}

function filter() {
	const words = byId('words').value.toLowerCase().split(/\s+/).filter(Boolean);
	const kind = byId('kind').value, file = byId('file').value, variable = byId('variable').value;
	shown = data.findings.filter((f, i) => (!kind || f.kind === kind) && (!variable || f.object === variable) &&
		(!file || filesOf[i].has(Number(file))) && words.every((w) => search[i].includes(w)));
	const wanted = new Set(shown.map((f) => f.id));
	for (const [id, b] of buttons)
		b.parentNode.hidden = !wanted.has(id);
	byId('count').textContent = shown.length === data.findings.length ? shown.length + ' finding' + (shown.length === 1 ? '' : 's') : shown.length + ' of ' + data.findings.length + ' findings';
	if (!current || !wanted.has(current.id))
		choose(shown[0] || null, false);
}

function options(select, all, pairs) {
	add(select, [el('option', { value: '' }, all), ...pairs.map((p) => el('option', { value: p[0] }, plain(p[1])))]);
	select.closest('label').hidden = pairs.length < 2;
}

function counted(values) {
	const n = new Map();
	values.forEach((v) => n.set(v, (n.get(v) || 0) + 1));
	return [...n];
}

function fillPage() {
	const program = data.program ? data.program.slice(data.program.lastIndexOf('/') + 1) : data.path;
	document.title = 'foresee: ' + plain(program);
	byId('about').textContent = plain(program) + ' \u2014 ' + data.events + ' events of ' + data.thread_count + ' thread' + (data.thread_count === 1 ? '' : 's');
	byId('summary').textContent = clean(data.summary);
	data.findings.forEach((f) => {
		const b = el('button', { type: 'button', 'data-id': f.id }, el('span', { class: 'number' }, String(f.id)),
			el('span', { class: 'title' }, plain(f.title), el('span', { class: 'sure ' + f.status }, f.sure)));
		b.addEventListener('click', () => choose(f, true));
		buttons.set(f.id, b);
	});
	byId('list').append(...[...buttons.values()].map((b) => el('li', {}, b)));
	options(byId('kind'), 'all', counted(data.findings.map((f) => f.kind)).map(([k, n]) => [k, k + ' (' + n + ')']));
	options(byId('file'), 'all', counted(filesOf.flatMap((s) => [...s])).map(([i, n]) => [i, data.files[i].path + ' (' + n + ')']));
	options(byId('variable'), 'all', counted(data.findings.map((f) => f.object)).map(([v, n]) => [v, v + ' (' + n + ')']));
}

/* ---- keys, themes, paper ---- */

function turnTheme() {
	const themes = ['system', 'light', 'dark'], root = document.documentElement;
	const next = themes[(themes.indexOf(root.dataset.theme || 'system') + 1) % 3];
	if (next === 'system')
		delete root.dataset.theme;
	else
		root.dataset.theme = next;
	byId('theme').textContent = 'theme: ' + next;
}

function turnHelp() {
	byId('help').hidden = !byId('help').hidden;
	byId('keys').setAttribute('aria-expanded', String(!byId('help').hidden));
}

function turnFolds() {
	for (const v of views) {
		const folds = v.rows.filter((r) => r.fold && r.fold.length), all = folds.every((r) => r.open);
		folds.forEach((r) => all ? v.opened.delete(r.key) : v.opened.add(r.key));
		v.step = -1;
		draw(v);
	}
}

const stepOf = (which, by) => views.filter((v) => v.which === which).forEach((v) => goTo(v, v.step + by, true));
const walk = (by) => { const to = shown[shown.indexOf(current) + by]; if (to) choose(to, true); };
const keys = { j: () => walk(1), k: () => walk(-1), ']': () => stepOf(views.length > 1 ? 'predicted' : 'recorded', 1), '[': () => stepOf(views.length > 1 ? 'predicted' : 'recorded', -1),
	'.': () => stepOf('recorded', 1), ',': () => stepOf('recorded', -1), o: turnFolds, t: turnTheme, '?': turnHelp,
	'/': (e) => { e.preventDefault(); byId('words').focus(); } };

document.addEventListener('keydown', (e) => {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'range';
	if (typing && e.key === 'Escape')
		e.target.blur();
	if (!typing && !e.ctrlKey && !e.metaKey && !e.altKey && Object.hasOwn(keys, e.key))
		keys[e.key](e);
});

/* On paper there is no choosing: all that fit the filter, one after the other, or this one where they are many. */
function toPaper() {
	const many = shown.length > 40, list = many ? [current] : shown;
	const keep = views;
	byId('paper').replaceChildren(...list.filter(Boolean).map((f) => {
		views = [];
		const sheet = el('article', { class: 'sheet' }, ...findingParts(f));
		views.forEach((v) => { v.box = sheet.querySelectorAll('.picture')[views.indexOf(v)]; draw(v); });
		sheet.querySelectorAll('details').forEach((d) => { d.open = true; });
		return sheet;
	}));
	views = keep;
	byId('paper').hidden = false;
	document.body.classList.add('onpaper');
}

function fromPaper() {
	byId('paper').hidden = true;
	byId('paper').replaceChildren();
	document.body.classList.remove('onpaper');
}

window.addEventListener('beforeprint', toPaper);
window.addEventListener('afterprint', fromPaper);
let resizing = 0;
window.addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(() => views.forEach(draw), 120); });
byId('theme').addEventListener('click', turnTheme);
byId('keys').addEventListener('click', turnHelp);
byId('filters').addEventListener('submit', (e) => e.preventDefault());
for (const id of ['words', 'kind', 'file', 'variable'])
	byId(id).addEventListener('input', filter);
window.addEventListener('hashchange', () => { const f = data.findings.find((x) => '#' + x.id === location.hash); if (f && f !== current) choose(f, true); });

fillPage();
current = data.findings.find((f) => '#' + f.id === location.hash) || null;
const wantedFirst = current;
filter();
if (wantedFirst)
	choose(wantedFirst, false);
document.documentElement.dataset.ready = 'yes';
})();
