# A small threaded project in C and C++, for the tests of build systems.

# project DIR: makes it and goes there.  Two threads count to 1000 in bank.c,
# plug.cc adds 1 through libstdc++.
project() {
	mkdir "$1" && cd "$1" || exit 2
	cat >bank.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
void *bank_run(void *unused);
extern int bank_total;
int plug_add(int x);
#ifdef __cplusplus
}
#endif
END
	cat >bank.c <<'END'
#include "bank.h"
#include <pthread.h>
#include <stddef.h>
int bank_total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *bank_run(void *unused)
{
	(void)unused;
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		bank_total++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
END
	cat >plug.cc <<'END'
#include "bank.h"
#include <string>
#include <vector>
int plug_add(int x)
{
	std::vector<int> v(x, 1);
	std::string s = "+";
	return static_cast<int>(v.size() + s.size());
}
END
	cat >main.c <<'END'
#include "bank.h"
#include <pthread.h>
#include <stdio.h>
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, bank_run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", plug_add(bank_total));
	return 0;
}
END
}

# counts PROGRAM NAME
counts() {
	run "$1"
	is "$status $(cat out)" "0 1001" "$2"
}
