void binding_two(void);
extern int library_value;
