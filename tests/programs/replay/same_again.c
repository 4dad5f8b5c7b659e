/*
 * The reader reads a twice, and in the recording sees 3 and 5.  In the run in which the first thread still stands
 * before its write both are 0, for what the second thread copies is not there yet: the second read sees nothing
 * new.  Whose turn it is only inline assembler looks at, for a call would let the reader look anew.
 */
#include <pthread.h>
#include <stdlib.h>

static int turn, a, source, done, cells[2];

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

static void *first(void *arg)
{
	a = 3; // written
	source = 5;
	hand_over(1);
	return arg;
}

static void *second(void *arg)
{
	wait_for(2);
	a = source;
	done = 1;
	hand_over(3);
	return arg;
}

static void *reader(void *arg)
{
	wait_for(1);
	if (a == 99)
		return NULL;
	hand_over(2);
	wait_for(3);
	cells[done]++; /* not before the second thread */
	if (a == 98)   // read
		return NULL;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	turn = getenv("ORDER_OFF") ? 3 : 0;
	if (a != 0) /* what it is at first must be in the recording */
		return 1;
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	pthread_create(&t[2], NULL, reader, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
