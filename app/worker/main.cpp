#include "measure/worker.h"

int main(int argc, char **argv) { return loopscope::workerMain(argc, argv); }
