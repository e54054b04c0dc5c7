#include "codegen/nvidia/nvrtc_library.h"

#include <algorithm>
#include <charconv>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace loopscope {

namespace {

// The part of NVRTC's interface that is used, as its documentation declares it.
using Program = void *;
using Result = int;
constexpr Result kSuccess = 0;

struct Functions {
    Result (*version)(int *, int *) = nullptr;
    Result (*supportedCount)(int *) = nullptr;
    Result (*supported)(int *) = nullptr;
    Result (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *) = nullptr;
    Result (*compile)(Program, int, const char *const *) = nullptr;
    Result (*logSize)(Program, size_t *) = nullptr;
    Result (*log)(Program, char *) = nullptr;
    Result (*ptxSize)(Program, size_t *) = nullptr;
    Result (*ptx)(Program, char *) = nullptr;
    const char *(*errorText)(Result) = nullptr;
    std::string missing; // what is wrong with the library; empty: nothing
};

/// NVRTC opens its second library by name alone and relies on its own run path. Where dlopen is intercepted
/// (sanitizers, tools that trace), the loader takes the interceptor's run path instead and finds nothing; a library of
/// that name which is loaded already is always found. One that is not beside the first is left to the loader.
void openBuiltins(const std::string &path, int major, int minor) {
    const std::filesystem::path name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
    ::dlopen((std::filesystem::path(path).parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

Functions openedLibrary(const std::string &path) {
    Functions functions;
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char *why = ::dlerror();
        functions.missing = why != nullptr ? why : "it cannot be opened";
        return functions;
    }
    const auto find = [&](auto &function, const char *name) {
        void *symbol = ::dlsym(library, name);
        if (symbol == nullptr && functions.missing.empty()) functions.missing = fmt::format("it has no {}", name);
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(functions.version, "nvrtcVersion");
    find(functions.supportedCount, "nvrtcGetNumSupportedArchs");
    find(functions.supported, "nvrtcGetSupportedArchs");
    find(functions.create, "nvrtcCreateProgram");
    find(functions.compile, "nvrtcCompileProgram");
    find(functions.logSize, "nvrtcGetProgramLogSize");
    find(functions.log, "nvrtcGetProgramLog");
    find(functions.ptxSize, "nvrtcGetPTXSize");
    find(functions.ptx, "nvrtcGetPTX");
    find(functions.errorText, "nvrtcGetErrorString");
    int major = 0;
    int minor = 0;
    if (functions.version != nullptr && functions.version(&major, &minor) == kSuccess) openBuiltins(path, major, minor);
    return functions;
}

std::string textOf(Program program, Result (*size)(Program, size_t *), Result (*text)(Program, char *)) {
    size_t bytes = 0;
    if (size(program, &bytes) != kSuccess || bytes == 0) return {};
    std::string result(bytes, '\0');
    if (text(program, result.data()) != kSuccess) return {};
    result.resize(result.find('\0') == std::string::npos ? bytes : result.find('\0'));
    return result;
}

/// The first line of the log that says what is wrong.
std::string firstError(const std::string &log) {
    const size_t at = log.find("error");
    if (at == std::string::npos) return log.substr(0, log.find('\n'));
    const size_t begin = log.rfind('\n', at);
    const size_t from = begin == std::string::npos ? 0 : begin + 1;
    return log.substr(from, log.find('\n', at) - from);
}

int numberOf(const std::string &architecture) {
    int number = 0;
    const char *begin = architecture.data() + std::min<size_t>(3, architecture.size());
    std::from_chars(begin, architecture.data() + architecture.size(), number);
    return number;
}

} // namespace

NvrtcReply compileByNvrtc(const NvrtcRequest &request) {
    NvrtcReply reply;
    const Functions nvrtc = openedLibrary(request.library);
    if (!nvrtc.missing.empty()) {
        reply.problem = fmt::format("{} is no usable NVRTC: {}", request.library, nvrtc.missing);
        return reply;
    }
    int count = 0;
    if (nvrtc.supportedCount(&count) == kSuccess && count > 0) {
        reply.architectures.resize(static_cast<size_t>(count));
        if (nvrtc.supported(reply.architectures.data()) != kSuccess) reply.architectures.clear();
    }
    if (std::ranges::find(reply.architectures, numberOf(request.architecture)) == reply.architectures.end()) {
        reply.kind = NvrtcReply::Kind::UnknownArchitecture;
        return reply;
    }
    Program program = nullptr;
    Result result = nvrtc.create(&program, request.source.c_str(), "kernels.cu", 0, nullptr, nullptr);
    if (result != kSuccess) {
        reply.problem = fmt::format("NVRTC refuses the text: {}", nvrtc.errorText(result));
        return reply;
    }
    const std::string architecture = "--gpu-architecture=compute_" + request.architecture.substr(3);
    std::vector<const char *> options = {architecture.c_str(), "--std=c++17", "-w"};
    if (request.debugLines) options.push_back("-lineinfo");
    result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
    reply.log = textOf(program, nvrtc.logSize, nvrtc.log);
    if (result != kSuccess) {
        reply.problem = reply.log.empty() ? nvrtc.errorText(result) : firstError(reply.log);
        return reply;
    }
    reply.ptx = textOf(program, nvrtc.ptxSize, nvrtc.ptx);
    reply.kind = NvrtcReply::Kind::Compiled;
    return reply; // the process is the program's end
}

} // namespace loopscope
