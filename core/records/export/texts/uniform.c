
static double check_uniform(struct check_random *random) { return (double)(check_next(random) >> 11) * 0x1.0p-53; }
