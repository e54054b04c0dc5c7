#include "codegen/runtime/cuda_runner.h"

#include "base/check.h"
#include "codegen/kernel_parameters.h"
#include "codegen/runtime/cuda_device.h"
#include "codegen/runtime/kernel_arguments.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace loopscope {

namespace {

constexpr size_t kPadding = 4096; // before and after what is guarded; keeps the alignment of an allocation
constexpr size_t kLogBytes = 8192;
constexpr size_t kToldLogBytes = 600;
/// What intermediates hold at first: no number.
constexpr unsigned char kIntermediatePoison = 0xff;

unsigned char patternOf(GuardSide side) { return side == GuardSide::End ? 0xa5 : 0x5a; }

/// The lines of a compiler's log as one.
std::string oneLine(const char *log) {
    std::string text;
    for (const char *at = log; *at != '\0' && text.size() < kToldLogBytes;) {
        const size_t length = std::strcspn(at, "\n");
        const std::string line(at, length);
        if (line.find_first_not_of(" \t\r") != std::string::npos) text += (text.empty() ? "" : "; ") + line;
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    if (text.size() > kToldLogBytes) text.resize(kToldLogBytes);
    return text;
}

/// The code of one program, compiled by the driver.
class LoadedModule {
  public:
    LoadedModule(const CudaDriver &driver, const std::vector<char> &ptx) : m_driver(driver) {
        const std::string image(ptx.begin(), ptx.end()); // the driver looks for its end
        std::vector<char> log(kLogBytes, '\0');
        std::array<cuda::JitOption, 2> options = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferSizeBytes};
        std::array<void *, 2> values = {log.data(), nullptr};
        const uintptr_t bytes = log.size() - 1; // a number in place of a pointer: that is how the driver takes it
        std::memcpy(static_cast<void *>(&values[1]), &bytes, sizeof bytes);
        const cuda::Result result =
            driver->moduleLoad(&m_module, image.c_str(), options.size(), options.data(), values.data());
        if (result == cuda::kSuccess) return;
        const std::string said = oneLine(log.data());
        throw Error(fmt::format("the CUDA driver does not take its PTX: {}{}{}", driver.text(result),
                                said.empty() ? "" : ": ", said));
    }
    ~LoadedModule() { m_driver->moduleUnload(m_module); }
    LoadedModule(const LoadedModule &) = delete;
    LoadedModule &operator=(const LoadedModule &) = delete;
    [[nodiscard]] cuda::Module get() const { return m_module; }

  private:
    const CudaDriver &m_driver;
    cuda::Module m_module = nullptr;
};

struct LaunchedKernel {
    std::string name;
    cuda::Function function = nullptr;
    GridLaunch grid;
    unsigned dynamicBytes = 0; // of shared memory that the kernel does not declare
    std::vector<int32_t> parameters;

    [[nodiscard]] std::string text() const {
        return fmt::format("kernel {} of {} blocks with {} threads and {} bytes of shared memory each", name,
                           fmt::join(grid.blocks, " x "), fmt::join(grid.threads, " x "), grid.sharedBytes);
    }
};

/// What calls of one program share.
struct LoadedProgram {
    std::shared_ptr<CudaDevice> device;
    KernelLaunch launch;
    LoadedModule module;
    std::vector<LaunchedKernel> kernels;

    LoadedProgram(std::shared_ptr<CudaDevice> on, const BuiltKernel &built)
        : device(std::move(on)), launch(built.launch), module(device->driver(), built.object) {
        LOOPSCOPE_CHECK(launch.parameters.size() == launch.grids.size(), "a kernel whose parameters nobody described");
        for (size_t i = 0; i < launch.grids.size(); ++i) kernels.push_back(kernelOf(i));
    }

    [[nodiscard]] const CudaDriver &driver() const { return device->driver(); }
    [[nodiscard]] size_t pieces() const { return launch.args.size() + launch.intermediates.size(); }
    [[nodiscard]] size_t bytesOf(size_t piece) const {
        const size_t args = launch.args.size();
        return piece < args ? argBytes(launch.args[piece])
                            : static_cast<size_t>(launch.intermediates[piece - args].bytes);
    }
    /// "output `C`".
    [[nodiscard]] std::string nameOf(size_t piece) const {
        const size_t args = launch.args.size();
        if (piece >= args) return fmt::format("intermediate `{}`", launch.intermediates[piece - args].name);
        return fmt::format("{} `{}`", launch.args[piece].output ? "output" : "input", launch.args[piece].name);
    }

  private:
    [[nodiscard]] LaunchedKernel kernelOf(size_t i) const {
        LaunchedKernel kernel;
        kernel.name = gpuKernelName(launch.entry, i);
        kernel.grid = launch.grids[i];
        kernel.parameters = launch.parameters[i];
        driver().check(driver()->moduleFunction(&kernel.function, module.get(), kernel.name.c_str()),
                       fmt::format("the code has no kernel {}", kernel.name));
        if (kernel.grid.sharedBytes > kDeclaredSharedBytes) {
            kernel.dynamicBytes = static_cast<unsigned>(kernel.grid.sharedBytes);
            driver().check(driver()->functionSetAttribute(kernel.function, cuda::MaxDynamicSharedSizeBytes,
                                                          static_cast<int>(kernel.grid.sharedBytes)),
                           "the GPU has no room for " + kernel.text());
        }
        return kernel;
    }
};

class CudaCall : public KernelCall {
  public:
    CudaCall(const LoadedProgram &program, size_t padding) : m_program(program) {
        for (size_t i = 0; i < program.pieces(); ++i) {
            m_memory.emplace_back(program.driver(), program.bytesOf(i) + 2 * padding, program.nameOf(i));
            m_pointers.push_back(m_memory.back().at(padding));
        }
        m_host.resize(program.launch.args.size());
    }

    /// Each kernel is waited for, so that the one that fails is known.
    void run() override {
        for (const LaunchedKernel &kernel : m_program.kernels) {
            launch(kernel);
            driver().check(driver()->contextSynchronize(), "the GPU stopped " + kernel.text());
        }
    }

    double time(int64_t calls) override {
        return m_program.device->time(calls, [&] {
            for (const LaunchedKernel &kernel : m_program.kernels) launch(kernel);
        });
    }

    std::byte *data(size_t arg) override {
        m_host[arg].resize(m_program.bytesOf(arg));
        driver().check(driver()->copyToHost(m_host[arg].data(), m_pointers[arg], m_host[arg].size()),
                       fmt::format("{} cannot be copied from the GPU", m_program.nameOf(arg)));
        return m_host[arg].data();
    }

  protected:
    [[nodiscard]] const LoadedProgram &program() const { return m_program; }
    [[nodiscard]] const CudaDriver &driver() const { return m_program.driver(); }
    [[nodiscard]] const DeviceMemory &memory(size_t piece) const { return m_memory[piece]; }

    void upload(size_t piece, const std::byte *from) {
        driver().check(driver()->copyToDevice(m_pointers[piece], from, m_program.bytesOf(piece)),
                       fmt::format("{} cannot be copied to the GPU", m_program.nameOf(piece)));
    }
    void fill(size_t piece, unsigned char byte) {
        driver().check(driver()->fill(m_pointers[piece], byte, m_program.bytesOf(piece)),
                       fmt::format("{} cannot be filled on the GPU", m_program.nameOf(piece)));
    }

  private:
    void launch(const LaunchedKernel &kernel) {
        std::vector<void *> parameters;
        for (const int32_t piece : kernel.parameters) parameters.push_back(&m_pointers[static_cast<size_t>(piece)]);
        const auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
        const auto &[blocks, threads, shared] = kernel.grid;
        driver().check(driver()->launch(kernel.function, size(blocks[0]), size(blocks[1]), size(blocks[2]),
                                        size(threads[0]), size(threads[1]), size(threads[2]), kernel.dynamicBytes,
                                        nullptr, parameters.data(), nullptr),
                       "the GPU does not launch " + kernel.text());
    }

    const LoadedProgram &m_program;
    std::vector<DeviceMemory> m_memory;
    std::vector<cuda::DevicePointer> m_pointers; // arguments, then intermediates
    std::vector<std::vector<std::byte>> m_host;  // of arguments, as they were when last asked for
};

class PlainCudaCall final : public CudaCall {
  public:
    PlainCudaCall(const LoadedProgram &program, const ArgumentData &data) : CudaCall(program, 0) {
        const std::vector<KernelArg> &args = program.launch.args;
        LOOPSCOPE_CHECK(args.size() == data.inputs.size(), "every argument of a kernel has data or is an output");
        std::vector<std::byte> packed;
        for (size_t i = 0; i < args.size(); ++i) {
            LOOPSCOPE_CHECK(args[i].output == (data.inputs[i] == nullptr), "inputs have data, outputs have none");
            if (args[i].output) {
                fill(i, data.poison);
                continue;
            }
            const std::byte *from = data.inputs[i];
            if (!args[i].packing.empty()) {
                packed.resize(argBytes(args[i]));
                packElements(args[i], from, packed.data());
                from = packed.data();
            }
            upload(i, from);
        }
        for (size_t i = args.size(); i < program.pieces(); ++i) fill(i, kIntermediatePoison);
    }
};

class GuardedCudaCall final : public CudaCall {
  public:
    GuardedCudaCall(const LoadedProgram &program, KernelCall &source, GuardSide side)
        : CudaCall(program, kPadding), m_pattern(patternOf(side)) {
        for (size_t i = 0; i < program.pieces(); ++i) {
            driver().check(driver()->fill(memory(i).at(), m_pattern, memory(i).bytes()),
                           fmt::format("{} cannot be filled on the GPU", program.nameOf(i)));
            if (i >= program.launch.args.size()) {
                fill(i, kIntermediatePoison);
                continue;
            }
            const std::byte *from = source.data(i);
            upload(i, from);
            m_inputs.emplace_back();
            if (!program.launch.args[i].output) m_inputs.back().assign(from, from + program.bytesOf(i));
        }
    }

    [[nodiscard]] std::string trespass() override {
        std::vector<std::byte> now;
        for (size_t i = 0; i < program().pieces(); ++i) {
            now.resize(memory(i).bytes());
            driver().check(driver()->copyToHost(now.data(), memory(i).at(), now.size()),
                           fmt::format("{} cannot be copied from the GPU", program().nameOf(i)));
            const auto touched = [&](std::byte byte) { return byte != std::byte{m_pattern}; };
            const auto first = now.begin() + kPadding;
            const auto last = now.end() - kPadding;
            if (const auto after = std::find_if(last, now.end(), touched); after != now.end())
                return fmt::format("it wrote {} bytes past the end of {}", after - last + 1, program().nameOf(i));
            if (const auto before = std::find_if(now.begin(), first, touched); before != first)
                return fmt::format("it wrote {} bytes before the start of {}", first - before, program().nameOf(i));
            const bool input = i < m_inputs.size() && !m_inputs[i].empty();
            if (input && !std::equal(first, last, m_inputs[i].begin()))
                return fmt::format("it wrote into its {}", program().nameOf(i));
        }
        return {};
    }

  private:
    unsigned char m_pattern;
    std::vector<std::vector<std::byte>> m_inputs; // empty: an output
};

class CudaRunner final : public Runner {
  public:
    CudaRunner(std::shared_ptr<CudaDevice> device, const BuiltKernel &kernel) : m_program(std::move(device), kernel) {}

    [[nodiscard]] RunsOn runsOn() const override { return RunsOn::Device; }
    void prepare(int /*threads*/) override {} // the device is there
    std::unique_ptr<KernelCall> bind(const ArgumentData &data) override {
        return std::make_unique<PlainCudaCall>(m_program, data);
    }
    std::unique_ptr<KernelCall> bindGuarded(KernelCall &source, GuardSide side) override {
        return std::make_unique<GuardedCudaCall>(m_program, source, side);
    }

  private:
    LoadedProgram m_program;
};

} // namespace

Outcome<std::unique_ptr<Runner>> makeCudaRunner(const BuiltKernel &kernel) {
    Outcome<std::shared_ptr<CudaDevice>> device = CudaDevice::use();
    if (!device) return device.refusal();
    return std::unique_ptr<Runner>(std::make_unique<CudaRunner>(std::move(device).value(), kernel));
}

} // namespace loopscope
