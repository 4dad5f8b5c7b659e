/*
 * A thread looks at a variable twice, at one place of the program.  In the recording it has changed in between;
 * that the thread waits for it only inline assembler says, for a call would let it look anew.  In a replay
 * nothing is new at the second look, unless it waits there for the other thread.
 */
#include <pthread.h>
#include <stdlib.h>

static int turn, x, y;

static void wait_for(int n)
{
	const int *p = &turn;

	__asm__ volatile("1: cmpl %1, (%0)\n\tjge 2f\n\tmovl $24, %%eax\n\tsyscall\n\tjmp 1b\n2:"
			 :
			 : "r"(p), "r"(n)
			 : "rax", "rcx", "r11", "cc");
}

static void hand_over(int n)
{
	int *p = &turn;

	__asm__ volatile("cmpl %1, (%0)\n\tjge 1f\n\tmovl %1, (%0)\n1:" : : "r"(p), "r"(n) : "cc");
}

static __attribute__((noinline)) int look(void)
{
	return x;
}

static void *reader(void *arg)
{
	if (look() == 7)
		return arg;
	hand_over(1);
	wait_for(2);
	if (look() == 7)
		y = 1; // written
	hand_over(3);
	return arg;
}

static void *writer(void *arg)
{
	wait_for(1);
	for (volatile int i = 0; i < 30000000; i++)
		; /* in a replay the reader is ready long before */
	x = 7;
	hand_over(2);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int seen;

	turn = getenv("ORDER_OFF") ? 3 : 0;
	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	wait_for(3);
	seen = y; // read
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return seen == 2;
}
