
/* --- The inputs: xoshiro256**, the same numbers as Loopscope draws ------------------------------------------------ */

struct check_random {
    uint64_t s[4];
};

static uint64_t check_rotated(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static struct check_random check_seeded(uint64_t seed, uint64_t stream) {
    struct check_random random;
    uint64_t x = seed * 0x9E3779B97F4A7C15u + stream * 0xD1B54A32D192ED03u + 0x2545F4914F6CDD1Du;
    for (int i = 0; i < 4; ++i) {
        x += 0x9E3779B97F4A7C15u;
        uint64_t z = x;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        random.s[i] = z ^ (z >> 31);
    }
    return random;
}

static uint64_t check_next(struct check_random *random) {
    uint64_t *s = random->s;
    const uint64_t result = check_rotated(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = check_rotated(s[3], 45);
    return result;
}
