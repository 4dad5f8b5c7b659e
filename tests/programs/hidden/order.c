/*
 * order.h for programs that are recorded under Valgrind, which sees everything: the tool is told that
 * these functions are none of the program's, as the wrappers of the C library's tell it.
 */
#include "../../../tools/valgrind/requests.h"

#define order_at plain_at
#define order_see plain_see
#define order_me plain_me
#define order_asleep plain_asleep
#define order_spins plain_spins
#include "../order.c"
#undef order_at
#undef order_see
#undef order_me
#undef order_asleep
#undef order_spins

#define ASK(request) VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, 0, 0, 0, 0, 0)
#define HIDDEN(name, params, call)       \
	void name params;                \
	void name params                 \
	{                                \
		(void)ASK(REQUEST_HIDE); \
		call;                    \
		(void)ASK(REQUEST_SHOW); \
	}

HIDDEN(order_at, (int n), plain_at(n))
HIDDEN(order_see, (int n), plain_see(n))
HIDDEN(order_me, (void), plain_me())
HIDDEN(order_asleep, (void), plain_asleep())
HIDDEN(order_spins, (void), plain_spins())
