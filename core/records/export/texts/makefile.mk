# make run: compiles the kernel, checks its answer, times it, and sets the time against the expected one.
CC = cc
CFLAGS = -O3 -march=native -ffp-contract=fast -fopenmp -Wall -Wextra

run: @STEM@
	./@STEM@

check: @STEM@
	./@STEM@ 0

@STEM@: @STEM@.c @STEM@_main.c @STEM@.h
	$(CC) $(CFLAGS) @STEM@.c @STEM@_main.c -lm -o $@

# The same schedule through Loopscope itself.
LOOPSCOPE = loopscope-cli
loopscope:
	$(LOOPSCOPE) measure workload.te --log record.json --record 0

clean:
	rm -f @STEM@

.PHONY: run check loopscope clean
