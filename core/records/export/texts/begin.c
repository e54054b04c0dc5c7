#define _POSIX_C_SOURCE 200809L
@INCLUDE@ "@STEM@.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
