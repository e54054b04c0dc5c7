
int main(int argc, char **argv) {
    enum { most_samples = 1000 };
    const int samples = argc > 1 ? atoi(argv[1]) : 15; /* 0: only check */
    void *plain[@COUNT@], *given[@COUNT@], *wanted[@COUNT@];
    int right = 1;
@ALLOCATE@
@SETS@
    if (!right || samples <= 0) return right ? 0 : 1;

    static double seconds[most_samples];
    int64_t calls = 1;
    int taken = 0;
    while (taken < samples && taken < most_samples) {
@ELAPSED@        if (elapsed < 0.02 && calls < 1000000000) { /* too short to be told from the clock */
            calls = elapsed > 0 ? (int64_t)((double)calls * 0.03 / elapsed) + 1 : calls * 2;
            continue;
        }
        seconds[taken++] = elapsed / (double)calls;
    }
    qsort(seconds, (size_t)taken, sizeof seconds[0], check_ascending);
    const double time = seconds[taken > 2 ? 1 : 0]; /* the middle one of the best three */
    printf("time: %.6g ms a call@FLOPS@, of %d samples of %" PRId64 " calls; median %.6g ms\n", 1e3 * time@FLOPSVALUE@, taken,
           calls, 1e3 * seconds[taken / 2]);
@EXPECTED@    return 0;
}
