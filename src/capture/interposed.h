/*
 * The rows of interposed.def as functions.  A file defines the INTERPOSED_... of its rows, and what
 * they call, and includes interposed.def.  (Each is declared here: headers declare some of them
 * only to programs that ask for it.)
 */
#ifndef CAPTURE_INTERPOSED_H
#define CAPTURE_INTERPOSED_H

#include "capture/real.h"

#define INTERPOSED_ROW(type, name, params, real, args, before, ...) \
	type name params                                            \
	{                                                           \
		type r;                                             \
		before;                                             \
                                                                    \
		r = real args;                                      \
		__VA_ARGS__;                                        \
		return r;                                           \
	}

#define OF(version, how, type, name, params, args, ...) \
	EXPORT type name params;                        \
	INTERPOSED_ROW(type, name, params, REAL_VERSIONED(name, version), args, __VA_ARGS__)
#define WRAP(how, type, name, params, args, ...) \
	OF(NULL, how, type, name, params, args, __VA_ARGS__)

#define EARLY_OF(version, how, type, name, params, args, ...) \
	EXPORT type name params;                              \
	REAL_EARLY_VERSIONED(name, version)                   \
	INTERPOSED_ROW(type, name, params, real_##name(), args, __VA_ARGS__)
#define EARLY(how, type, name, params, args, ...) \
	EARLY_OF(NULL, how, type, name, params, args, __VA_ARGS__)

#define DOES(how, type, name, params, expression) \
	EXPORT type name params;                  \
	type name params                          \
	{                                         \
		return expression;                \
	}

#define VOID(how, name, params, ...) \
	EXPORT void name params;     \
	void name params             \
	{                            \
		__VA_ARGS__;         \
	}

#define HAND(how, name)

#endif /* CAPTURE_INTERPOSED_H */
