/* Virtual calls: an object's class changes while it is built, the table of a class never does. */
struct shape {
	virtual int area();
	int sides;
};
shape *all;

int virtual_call()
{
	return all->area(); /* = read all binding; read - binding */
}
