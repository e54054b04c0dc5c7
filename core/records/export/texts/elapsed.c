        const double start = check_now();
        for (int64_t i = 0; i < calls; ++i) @CALL@;
        const double elapsed = check_now() - start;
