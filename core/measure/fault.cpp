#include "measure/fault.h"

#include "base/outcome.h"
#include "codegen/runtime/loaded_kernel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loopscope {

namespace {

struct NamedFault {
    Fault fault;
    std::string_view name;
};
constexpr std::array<NamedFault, 19> kFaults = {{
    {Fault::Crash, "crash"},
    {Fault::Abort, "abort"},
    {Fault::Exit, "exit"},
    {Fault::Hang, "hang"},
    {Fault::Oom, "oom"},
    {Fault::StackSmash, "stack-smash"},
    {Fault::Nan, "nan"},
    {Fault::WrongLane, "wrong-lane"},
    {Fault::Overrun, "overrun"},
    {Fault::Underrun, "underrun"},
    {Fault::DirtyInput, "dirty-input"},
    {Fault::PrintForever, "print-forever"},
    {Fault::Fork, "fork"},
    {Fault::Socket, "socket"},
    {Fault::HugeFile, "huge-file"},
    {Fault::Exec, "exec"},
    {Fault::BuildCrash, "build-crash"},
    {Fault::BuildHang, "build-hang"},
    {Fault::BuildOom, "build-oom"},
}};

constexpr size_t kOomBlock = 64 << 20;

[[noreturn]] void hang() {
    for (volatile int forever = 1; forever != 0;) {
    }
    std::abort();
}

// What a sanitizer would stop before it happens.
#define LOOPSCOPE_MEANT_TO_BREAK __attribute__((noinline, no_sanitize("address", "undefined")))

LOOPSCOPE_MEANT_TO_BREAK void smashStack() {
    volatile char frame[16];
    // Through a second volatile pointer, so that no compiler sees where the array ends.
    volatile char *volatile at = frame;
    for (int i = 0; i < 4096; ++i) at[i] = 0x5a;
}

/// Takes the memory for real; plain writes to memory nobody reads may be left out by the compiler.
void touch(void *memory) {
    auto *bytes = static_cast<volatile char *>(memory);
    for (size_t i = 0; i < kOomBlock; i += 4096) bytes[i] = 1;
}

LOOPSCOPE_MEANT_TO_BREAK void crash() {
    volatile int *volatile nowhere = nullptr;
    *nowhere = 1;
}

void writeWithoutEnd() {
    char path[] = "/tmp/loopscope-huge-XXXXXX";
    const int file = ::mkostemp(path, O_CLOEXEC);
    if (file < 0) return;
    ::unlink(path);
    const std::array<char, 4096> block{};
    while (::write(file, block.data(), block.size()) > 0) {
    }
    ::close(file);
}

} // namespace

std::map<size_t, Fault> parseFaults(std::string_view text) {
    std::map<size_t, Fault> faults;
    while (!text.empty()) {
        const size_t comma = text.find(',');
        const std::string_view entry = text.substr(0, comma);
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        const size_t colon = entry.find(':');
        size_t index = 0;
        const auto [end, problem] = std::from_chars(entry.data(), entry.data() + std::min(colon, entry.size()), index);
        if (colon == std::string_view::npos || problem != std::errc() || end != entry.data() + colon)
            throw Error(fmt::format("a fault is INDEX:KIND, not `{}`", entry));
        const std::string_view name = entry.substr(colon + 1);
        const auto *known = std::find_if(kFaults.begin(), kFaults.end(),
                                         [name](const NamedFault &candidate) { return candidate.name == name; });
        if (known == kFaults.end()) throw Error(fmt::format("there is no fault `{}`", name));
        faults[index] = known->fault;
    }
    return faults;
}

void commitBuildFault(Fault fault) {
    if (fault == Fault::BuildCrash) crash();
    if (fault == Fault::BuildHang) hang();
    while (fault == Fault::BuildOom) touch(::operator new(kOomBlock));
}

void commitFaultBeforeKernel(Fault fault) {
    switch (fault) {
    case Fault::Crash:
        crash();
        break;
    case Fault::Abort:
        std::abort();
    case Fault::Exit:
        std::exit(0);
    case Fault::Hang:
        hang();
    case Fault::Oom:
        while (true) touch(kernelRuntime().allocate(kOomBlock));
    case Fault::StackSmash:
        smashStack();
        break;
    case Fault::PrintForever:
        while (true) {
            std::puts("still printing");
            std::fputs("still printing\n", stderr);
        }
    case Fault::Fork:
        if (::fork() == 0) ::pause();
        break;
    case Fault::Socket:
        (void)::socket(AF_INET, SOCK_STREAM, 0);
        break;
    case Fault::HugeFile:
        writeWithoutEnd();
        break;
    case Fault::Exec:
        ::execl("/bin/true", "true", nullptr);
        break;
    default:
        break;
    }
}

void commitFaultAfterKernel(Fault fault, const FaultPlace &place) {
    auto *output = static_cast<volatile char *>(place.output);
    const auto bytes = static_cast<size_t>(place.elementBytes);
    const size_t middle = place.outputBytes / 2 / bytes * bytes; // first byte of an element
    switch (fault) {
    case Fault::Nan:
        // 0x7fff at the top is not a number in every float type, and is not the poison of outputs never written.
        for (size_t i = 0; i < bytes; ++i)
            output[middle + i] = static_cast<char>(i + 2 == bytes ? 0xff : i + 1 == bytes ? 0x7f : 0);
        break;
    case Fault::WrongLane: {
        // The highest byte but one: exponent or leading digits of a float, a plain change of an integer.
        volatile char &byte = output[middle + (bytes > 1 ? bytes - 2 : 0)];
        byte = static_cast<char>(byte ^ 0x40);
        break;
    }
    case Fault::Overrun:
        output[place.outputBytes] = static_cast<char>(output[place.outputBytes - 1] ^ 0x55);
        break;
    case Fault::Underrun:
        output[-1] = 0x55;
        break;
    case Fault::DirtyInput:
        if (place.input != nullptr) {
            auto *input = static_cast<volatile char *>(place.input);
            input[0] = static_cast<char>(input[0] ^ 1);
        }
        break;
    default:
        break;
    }
}

} // namespace loopscope
