#!/usr/bin/env python3
"""Evaluates the assertions of exported CSPM files, by the operational semantics of the operators and a
search over all states.

	cspm.py FILE...

A line for each assertion, named by the comment before it ("-- x, T1 and T2: ..."):

	x T1 T2: holds, 48 states
	x T1 T2: race after <lock.T2.m, unlock.T2.m>, 48 states
	T1 T2: 1-8 4-9				where race has parameters: every one that is reached

Only what foresee writes is understood: every assertion is STOP [T= P, one kind of operator between two
brackets.  Shares nothing with foresee.
"""
import itertools
import re
import sys
from collections import deque

sys.setrecursionlimit(200000)
TOKEN = re.compile(r"\[T=|\[\||\|\]|\|\|\||\[\]|->|\{\||\|\}|\.\.|/\\|==|[A-Za-z_]\w*|\d+|[=(){},.:?!@|&<>+\-\\]")
BINARY = {'[]': 'choice', '|||': 'inter', '/\\': 'interrupt', '[|': 'parallel', '\\': 'hide'}
STOP = ('stop',)


class Reader:
    """One declaration: its tokens, read from left to right."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        if ''.join(self.tokens) != re.sub(r'\s', '', text):
            raise SyntaxError(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def want(self, *tokens):
        for t in tokens:
            if self.next() != t:
                raise SyntaxError('%s expected: %s' % (t, ' '.join(self.tokens[self.at - 5:])))

    def has(self, token):
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def listed(self, item, close):
        out = []
        while not self.has(close):
            out.append(item())
            self.has(',')
        return tuple(out)

    # Values: numbers, members of datatypes, sets.
    def value(self):
        v = self.atom()
        while self.peek() in ('+', '-') and self.peek():
            v = (self.next(), v, self.atom())
        return v

    def atom(self):
        t = self.next()
        if t.isdigit():
            return ('number', int(t))
        if t == '{':
            items = self.listed(self.element, '}')
            return items[0] if items and items[0][0] == 'range' else ('set', items)
        if t == '{|':
            return ('channels', self.listed(self.next, '|}'))
        if self.peek() == '(' and t[0].isalpha():
            self.next()
            return ('apply', t, self.listed(self.value, ')'))
        return ('name', t)

    def element(self):
        parts = [self.value()]
        if self.has('..'):
            return ('range', parts[0], self.value())
        while self.has('.'):
            parts.append(self.value())
        return ('dotted', tuple(parts)) if len(parts) > 1 else parts[0]

    def condition(self):
        a = self.value()
        op = self.next()
        if op not in ('==', '<', '>'):
            raise SyntaxError(op)
        return (op, a, self.value())

    # Processes.
    def process(self):
        parts = [self.part()]
        op = self.peek()
        if op not in BINARY:
            return parts[0]
        while self.has(op):
            if op == '\\':
                return ('hide', parts[0], self.value())
            if op == '[|':
                sync = self.value()
                self.want('|]')
                return ('parallel', parts[0], self.part(), sync)
            parts.append(self.part())
        if self.peek() in BINARY:
            raise SyntaxError('operators are mixed')
        return (BINARY[op], tuple(parts))

    def part(self):
        if self.peek() in ('[]', '|||'):
            op = self.next()
            variable = self.next()
            self.want(':')
            domain = self.value()
            self.want('@')
            return ('each', BINARY[op], variable, domain, self.part())
        if self.peek() == 'if':
            self.next()
            test = self.condition()
            self.want('then')
            yes = self.part()
            self.want('else')
            return ('if', test, yes, self.part())
        if self.peek() == '(':
            self.next()
            mark = self.at
            try:
                test = self.condition()
                guarded = self.has('&')
            except (SyntaxError, IndexError):
                guarded = False
            if not guarded:
                self.at = mark
            p = self.process()
            self.want(')')
            return ('if', test, p, STOP) if guarded else p
        return self.prefix()

    def prefix(self):
        name = self.next()
        if name == 'STOP':
            return STOP
        if self.has('('):
            return ('call', name, self.listed(self.value, ')'))
        fields = [('!', ('name', name))]
        while self.peek() in ('.', '!', '?') and self.peek():
            if self.next() == '?':
                variable = self.next()
                fields.append(('?', variable, self.value() if self.has(':') else None))
            else:
                fields.append(('!', self.atom()))
        if self.has('->'):
            return ('prefix', tuple(fields), self.part())
        return ('call', name, ())


class Module:
    def __init__(self, text):
        self.types, self.channels, self.equations, self.asserts = {}, {}, {}, []
        self.memo, self.moves = {}, {}
        label = ''
        for line in re.sub(r'\n[ \t]+', ' ', text).split('\n'):
            m = re.match(r'-- (?:(\w+), )?(\w+) and (\w+)(?::|$)', line)
            if m:
                label = ' '.join(w for w in m.groups() if w)
            if line.strip() and not line.startswith('--'):
                self.declare(Reader(line), label)
        self.members = {v for t in self.types.values() for v in t}
        self.events = frozenset((c,) + v for c, ts in self.channels.items()
                                for v in itertools.product(*[sorted(self.domain(t), key=str) for t in ts]))

    def declare(self, r, label):
        word = r.next()
        if word == 'datatype':
            name = r.next()
            r.want('=')
            self.types[name] = [r.next()]
            while r.has('|'):
                self.types[name].append(r.next())
        elif word == 'nametype':
            name = r.next()
            r.want('=')
            self.types[name] = sorted(self.value(r.value(), {}))
        elif word == 'channel':
            names = [r.next()]
            while r.has(','):
                names.append(r.next())
            types = []
            while r.has(':') or r.has('.'):
                types.append(r.value())
            self.channels.update((n, types) for n in names)
        elif word == 'assert':
            r.want('STOP', '[T=')
            self.asserts.append((label, r.process()))
        else:
            parameters = r.listed(r.next, ')') if r.has('(') else ()
            r.want('=')
            if r.peek() in ('{', '{|', 'union', 'diff'):
                rest = ('value', r.value())
            elif r.peek() == 'if' and word == 'OTHERS':
                r.next()
                test = r.condition()
                r.want('then')
                yes = r.value()
                r.want('else')
                rest = ('choose', test, yes, r.value())
            else:
                rest = r.process()
            if r.peek():
                raise SyntaxError('left over: ' + ' '.join(r.tokens[r.at:]))
            self.equations.setdefault(word, []).append((parameters, rest))

    # Values.
    def domain(self, t):
        return self.value(t, {}) if t[0] != 'name' else self.types[t[1]]

    def pick(self, name, arguments):
        for parameters, body in self.equations[name]:
            env = {}
            for p, a in zip(parameters, arguments):
                if p.isdigit() or p in self.members:
                    if (int(p) if p.isdigit() else p) != a:
                        break
                else:
                    env[p] = a
            else:
                if len(parameters) == len(arguments):
                    return body, env
        raise NameError('%s%r' % (name, arguments))

    def value(self, v, env):
        k = v[0]
        if k == 'number':
            return v[1]
        if k == 'name':
            if v[1] in env:
                return env[v[1]]
            if v[1] in self.types:
                return frozenset(self.types[v[1]])
            if v[1] == 'Events':
                return self.events
            if v[1] in self.equations:
                return self.value(self.pick(v[1], ())[0][1], {})
            return v[1]
        if k == 'range':
            return frozenset(range(self.value(v[1], env), self.value(v[2], env) + 1))
        if k == 'set':
            return frozenset(x if isinstance(x, tuple) or x not in self.channels else (x,)
                             for x in (self.value(x, env) for x in v[1]))
        if k == 'dotted':
            return tuple(self.value(x, env) for x in v[1])
        if k == 'channels':
            return frozenset(e for e in self.events if e[0] in v[1])
        if k in '+-':
            a, b = self.value(v[1], env), self.value(v[2], env)
            return a + b if k == '+' else a - b
        arguments = tuple(self.value(x, env) for x in v[2])
        if v[1] == 'union':
            return arguments[0] | arguments[1]
        if v[1] == 'diff':
            return arguments[0] - arguments[1]
        if v[1] == 'card':
            return len(arguments[0])
        body, inner = self.pick(v[1], arguments)
        if body[0] == 'choose':
            return self.value(body[2] if self.holds(body[1], inner) else body[3], inner)
        return self.value(body[1], inner)

    def holds(self, test, env):
        a, b = self.value(test[1], env), self.value(test[2], env)
        return a == b if test[0] == '==' else a > b if test[0] == '>' else a < b

    # States.
    def begin(self, p, env):
        k = p[0]
        if k == 'stop':
            return STOP
        if k == 'prefix':
            return ('prefix', p, tuple(sorted((n, v) for n, v in env.items() if n in self.mentions(p))))
        if k == 'call':
            return self.begin(*self.pick(p[1], tuple(self.value(a, env) for a in p[2])))
        if k == 'if':
            return self.begin(p[2] if self.holds(p[1], env) else p[3], env)
        if k in ('choice', 'inter', 'interrupt'):
            return (k, tuple(self.begin(q, env) for q in p[1]))
        if k == 'each':
            return (p[1], tuple(self.begin(p[4], dict(env, **{p[2]: v}))
                                for v in sorted(self.value(p[3], env), key=str)))
        if k == 'parallel':
            return (k, self.begin(p[1], env), self.begin(p[2], env), self.value(p[3], env))
        return (k, self.begin(p[1], env), self.value(p[2], env))

    def mentions(self, p):
        if id(p) not in self.memo:
            names, todo = set(), [p]
            while todo:
                x = todo.pop()
                if isinstance(x, str):
                    names.add(x)
                elif isinstance(x, tuple):
                    todo.extend(x)
            self.memo[id(p)] = (p, names)
        return self.memo[id(p)][1]

    def instances(self, state):
        found = [((), dict(state[2]))]
        for field in state[1][1]:
            grown = []
            for event, env in found:
                if field[0] == '!':
                    v = self.value(field[1], env)
                    grown.append((event + (v if isinstance(v, tuple) else (v,)), env))
                    continue
                among = field[2] and self.value(field[2], env)
                if field[2] is None:
                    among = self.domain(self.channels[event[0]][len(event) - 1])
                grown += [(event + (v,), dict(env, **{field[1]: v})) for v in sorted(among, key=str)]
            found = grown
        return found

    def step(self, state):
        """All (event, is it hidden, next state)."""
        if state not in self.moves:
            self.moves[state] = list(self.steps(state))
        return self.moves[state]

    def steps(self, state):
        k = state[0]
        if k == 'prefix':
            for event, env in self.instances(state):
                yield event, False, self.begin(state[1][2], env)
        elif k == 'choice':
            for q in state[1]:
                yield from self.step(q)
        elif k == 'inter':
            for i, q in enumerate(state[1]):
                for event, hidden, after in self.step(q):
                    yield event, hidden, (k, state[1][:i] + (after,) + state[1][i + 1:])
        elif k == 'interrupt':
            for event, hidden, after in self.step(state[1][0]):
                yield event, hidden, (k, (after, state[1][1]))
            yield from self.step(state[1][1])
        elif k == 'parallel':
            left, right, sync = self.step(state[1]), self.step(state[2]), state[3]
            for event, hidden, after in left:
                if hidden or event not in sync:
                    yield event, hidden, (k, after, state[2], sync)
            for event, hidden, after in right:
                if hidden or event not in sync:
                    yield event, hidden, (k, state[1], after, sync)
            for event, hidden, after in left:
                for other, shut, beside in right:
                    if event == other and event in sync and not hidden and not shut:
                        yield event, False, (k, after, beside, sync)
        elif k == 'hide':
            for event, hidden, after in self.step(state[1]):
                yield event, hidden or event in state[2], (k, after, state[2])

    def search(self, process):
        """Every visible event with the way to it; states seen before the first."""
        root = self.begin(process, {})
        came, todo, found, first = {root: None}, deque([root]), {}, None
        while todo:
            state = todo.popleft()
            for event, hidden, after in self.step(state):
                if not hidden:
                    if event not in found:
                        way, s = [], state
                        while came[s]:
                            way.append(came[s][1])
                            s = came[s][0]
                        found[event] = way[::-1]
                        first = first or len(came)
                        if len(event) == 1:
                            return found, first
                elif after not in came:
                    came[after] = (state, event)
                    todo.append(after)
        return found, first or len(came)


def main(paths):
    for path in paths:
        with open(path, encoding='utf-8') as f:
            module = Module(f.read())
        for label, process in module.asserts:
            found, states = module.search(process)
            if not found:
                print('%s: holds, %d states' % (label, states))
            elif ('race',) in found:
                data = ('start', 'end', 'read', 'write', 'aread', 'awrite')
                way = ['.'.join(map(str, e)) for e in found['race',] if e[0] not in data]
                print('%s: race after <%s>, %d states' % (label, ', '.join(way), states))
            else:
                print('%s: %s' % (label, ' '.join('%d-%d' % tuple(sorted(e[1:]))
                                                  for e in sorted(found, key=lambda e: sorted(e[1:])))))


if __name__ == '__main__':
    main(sys.argv[1:])
