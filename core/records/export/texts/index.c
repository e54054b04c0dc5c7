
/* Mostly an index inside, now and then one beside. */
static int64_t check_index(struct check_random *random, int64_t extent, int64_t least, int64_t most) {
    const int64_t beside = check_below(random, 16) == 0 ? (int64_t)check_below(random, 5) - 2 : 0;
    const int64_t inside = (int64_t)check_below(random, (uint64_t)extent);
    const int64_t index = beside < 0 ? beside : beside > 0 ? extent - 1 + beside : inside;
    return index < least ? least : index > most ? most : index;
}
