/* Properties: waits for the monitors. */
#include "witness/check_priv.h"

size_t check_property(struct checker *c)
{
	(void)check_fail(c, 0, "properties are not checked in this version");
	return 0;
}
