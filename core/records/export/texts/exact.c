
/* Few small whole numbers, so that every sum is exact in any order and a missing term shows. */
static double check_exact(struct check_random *random, double share, uint64_t largest, int both_signs,
                          int zero_is_usual, double otherwise) {
    if (share < 1 && check_uniform(random) >= share) return otherwise;
    if (zero_is_usual) return 0;
    const double size = 1 + (double)check_below(random, largest);
    return both_signs && check_below(random, 2) == 0 ? -size : size;
}
