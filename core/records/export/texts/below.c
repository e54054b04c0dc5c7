
static uint64_t check_below(struct check_random *random, uint64_t n) {
    return (uint64_t)(((unsigned __int128)check_next(random) * n) >> 64);
}
