
/* --- The comparison ------------------------------------------------------------------------------------------------ */

@READERS@
static int check_same(long double got, long double wanted, long double allowed, double *worst) {
    if (isnan(wanted)) return isnan(got) != 0;
    if (isinf(wanted)) return got == wanted;
    const long double error = fabsl(got - wanted);
    if (!(error <= allowed)) return 0;
    if (error > 0 && (double)(error / allowed) > *worst) *worst = (double)(error / allowed);
    return 1;
}

/* `allowed`: how far a correct kernel may be off; `open`: elements of which that cannot be said. */
static int check_output(const char *name, const char *set, const void *got, const void *wanted,
                        long double (*read)(const void *, int64_t), int64_t elements, double allowed, int64_t open) {
    int64_t wrong = 0, first = -1;
    double worst = 0;
    for (int64_t i = 0; i < elements; ++i) {
        if (check_same(read(got, i), read(wanted, i), allowed, &worst)) continue;
        if (first < 0) first = i;
        ++wrong;
    }
    if (wrong > open) {
        printf("%s, %s inputs: WRONG: %" PRId64 " of %" PRId64 " elements, element %" PRId64
               " is %.9Lg instead of %.9Lg (%.3g off is allowed)\n",
               name, set, wrong, elements, first, read(got, first), read(wanted, first), allowed);
        return 0;
    }
    printf("%s, %s inputs: right, largest error %.3g of what rounding may do\n", name, set, worst);
    return 1;
}

static uint64_t check_hash(uint64_t hash, const void *data, int64_t bytes) {
    const unsigned char *at = data;
    for (int64_t i = 0; i < bytes; ++i) hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static void *check_allocate(int64_t bytes) {
    void *memory = aligned_alloc(64, (size_t)((bytes + 63) / 64 * 64));
    if (memory == NULL) {
        fprintf(stderr, "there are not %" PRId64 " bytes of memory\n", bytes);
        exit(2);
    }
    memset(memory, 0xff, (size_t)bytes); /* no number: what the kernel does not write is seen */
    return memory;
}

@CLOCK@static int check_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
