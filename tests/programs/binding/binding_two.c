#include "binding.h"

volatile static int count = 20;

void binding_two(void)
{
	count = 21;
}
