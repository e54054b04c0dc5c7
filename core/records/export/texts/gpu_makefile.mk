# make run: compiles the kernel, checks its answer, times it, and sets the time against the expected one.
NVCC = nvcc
NVCCFLAGS = -O3 -arch=@ARCH@

run: @STEM@
	./@STEM@

check: @STEM@
	./@STEM@ 0

@STEM@: @STEM@.cu @STEM@_main.c @STEM@.h
	$(NVCC) $(NVCCFLAGS) @STEM@.cu @STEM@_main.c -lm -o $@

# The same schedule through Loopscope itself, checked without a GPU.
LOOPSCOPE = loopscope-cli
loopscope:
	$(LOOPSCOPE) measure workload.te --target @TARGET@ --runner executor --log record.json --record 0

clean:
	rm -f @STEM@

.PHONY: run check loopscope clean
