/* Every macro once; with or without a recorder it does the same. */
#include <stdio.h>

#include <foresee.h>

static int lock, data;

static void tell(void)
{
	FORESEE_THREAD_NAME("x");
	FORESEE_VARIABLE(&data, sizeof(data), "data");
	FORESEE_EVENT("e");
	FORESEE_EVENT1("e", 1);
	FORESEE_EVENT2("e", 1, 2);
	FORESEE_EVENT3("e", 1, 2, 3);
	FORESEE_EVENT4("e", 1, 2, 3, 4);
	FORESEE_EVENT5("e", 1, 2, 3, 4, 5);
	FORESEE_EVENT6("e", 1, 2, 3, 4, 5, 6);
	FORESEE_EVENT7("e", 1, 2, 3, 4, 5, 6, 7);
	FORESEE_EVENT8("e", 1, 2, 3, 4, 5, 6, 7, 8);
	FORESEE_INTERNAL("i", 3);
	FORESEE_ATOMIC_BEGIN("b");
	FORESEE_ATOMIC_END();
	FORESEE_HAPPENS_BEFORE(&data);
	FORESEE_HAPPENS_AFTER(&data);
}

int main(void)
{
	tell();
	FORESEE_LOCK_CREATED(&lock);
	FORESEE_LOCK_WAITS(&lock);
	FORESEE_LOCK_ACQUIRED(&lock);
	FORESEE_LOCK_RELEASES(&lock);
	FORESEE_LOCK_TRIED(&lock);
	FORESEE_LOCK_RELEASES(&lock);
	FORESEE_LOCK_FAILED(&lock);
	FORESEE_LOCK_READ_WAITS(&lock);
	FORESEE_LOCK_READ_ACQUIRED(&lock);
	FORESEE_LOCK_READ_RELEASES(&lock);
	FORESEE_LOCK_READ_TRIED(&lock);
	FORESEE_LOCK_READ_RELEASES(&lock);
	FORESEE_LOCK_READ_FAILED(&lock);
	FORESEE_LOCK_DESTROYED(&lock);
	if (data)
		FORESEE_EVENT("as a statement");
	else
		printf("fine\n");
	return 0;
}
