#include "measure/baselines/onednn_library.h"

#include "measure/baselines/spread_threads.h"

#include <dlfcn.h>

namespace loopscope {

namespace {

const char *statusText(dnnl_status_t status) {
    switch (status) {
    case dnnl_success:
        return "success";
    case dnnl_out_of_memory:
        return "out of memory";
    case dnnl_invalid_arguments:
        return "invalid arguments";
    case dnnl_unimplemented:
        return "not implemented";
    case dnnl_iterator_ends:
        return "no further implementation";
    case dnnl_runtime_error:
        return "run-time error";
    case dnnl_not_required:
        return "not required";
    }
    return "unknown status";
}

template <typename Function>
void findOpenMp(const SharedLibrary &library, const char *symbol, Function &found, std::string &missing) {
    found = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
    if (found == nullptr) found = library.find<Function>(symbol);
    if (found == nullptr) missing = symbol;
}

} // namespace

void DnnlLibrary::useThreads(int threads) const { ompSetThreads(threads); }

void DnnlLibrary::spreadWorkers(int threads) const {
    const auto body = [](void *threadNumber) {
        const int number = reinterpret_cast<int (*)()>(threadNumber)();
        if (number > 0) stayOnProcessor(number);
    };
    ompParallel(body, reinterpret_cast<void *>(ompThreadNumber), unsigned(threads), 0);
}

void requireDnnl(dnnl_status_t status, const char *call) {
    if (status != dnnl_success) throw Error(std::string("oneDNN: ") + call + ": " + statusText(status));
}

Outcome<std::shared_ptr<const DnnlLibrary>> DnnlLibrary::open() {
    Outcome<SharedLibrary> library = SharedLibrary::open("libdnnl.so.2", "libdnnl2");
    if (!library) return library.refusal();
    auto dnnl = std::make_shared<DnnlLibrary>();
    std::string missing;
#define LOOPSCOPE_DNNL_FIND(NAME)                                                                                      \
    dnnl->NAME = library->find<decltype(&::dnnl_##NAME)>("dnnl_" #NAME);                                               \
    if (dnnl->NAME == nullptr) missing = "dnnl_" #NAME;
    LOOPSCOPE_DNNL_FUNCTIONS(LOOPSCOPE_DNNL_FIND)
#undef LOOPSCOPE_DNNL_FIND
    // oneDNN's own calls bind to the program's OpenMP library where it has one, and to the one it brings along
    // otherwise; the thread count must be set in that same library.
    findOpenMp(*library, "omp_set_num_threads", dnnl->ompSetThreads, missing);
    findOpenMp(*library, "omp_get_thread_num", dnnl->ompThreadNumber, missing);
    findOpenMp(*library, "GOMP_parallel", dnnl->ompParallel, missing);
    if (!missing.empty())
        return Refusal{library->file() + " was opened but lacks " + missing +
                       "; Loopscope knows the 2.6 release of Debian 12 (package libdnnl2)"};
    try {
        dnnl_engine_t engine = nullptr;
        requireDnnl(dnnl->engine_create(&engine, dnnl_cpu, 0), "creating the CPU engine");
        dnnl->engine = {engine, dnnl->engine_destroy};
        dnnl_stream_t stream = nullptr;
        requireDnnl(dnnl->stream_create(&stream, engine, dnnl_stream_default_flags), "creating a stream");
        dnnl->stream = {stream, dnnl->stream_destroy};
    } catch (const Error &error) {
        return Refusal{error.what()};
    }
    return std::shared_ptr<const DnnlLibrary>(dnnl);
}

} // namespace loopscope
