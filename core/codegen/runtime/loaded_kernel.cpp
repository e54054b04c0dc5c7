#include "codegen/runtime/loaded_kernel.h"

#include "base/outcome.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <dlfcn.h>

#include <utility>

namespace loopscope {

namespace {

struct MathLibraries {
    void *vectorMath = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    void *math = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
};
const MathLibraries &mathLibraries() {
    static const MathLibraries libraries;
    return libraries;
}

/// libm and libmvec, which a kernel's calls of mathematical functions name.
class MathSymbols : public llvm::orc::DefinitionGenerator {
  public:
    llvm::Error tryToGenerate(llvm::orc::LookupState &, llvm::orc::LookupKind, llvm::orc::JITDylib &dylib,
                              llvm::orc::JITDylibLookupFlags, const llvm::orc::SymbolLookupSet &symbols) override {
        const auto [vectorMath, math] = mathLibraries();
        llvm::orc::SymbolMap found;
        for (const auto &[name, flags] : symbols) {
            const std::string text = (*name).str();
            void *address = dlsym(RTLD_DEFAULT, text.c_str());
            if (!address && math) address = dlsym(math, text.c_str());
            if (!address && vectorMath) address = dlsym(vectorMath, text.c_str());
            if (address) found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
        }
        return found.empty() ? llvm::Error::success() : dylib.define(llvm::orc::absoluteSymbols(std::move(found)));
    }
};

template <typename T> T orThrow(llvm::Expected<T> value, const char *what) {
    if (!value) throw Error(std::string(what) + ": " + llvm::toString(value.takeError()));
    return std::move(*value);
}

} // namespace

void openMathLibraries() { (void)mathLibraries(); }

struct LoadedKernel::Impl {
    std::unique_ptr<llvm::orc::ExecutionSession> session;
    std::unique_ptr<llvm::orc::ObjectLinkingLayer> linker;
    LoopscopeKernel entry = nullptr;

    ~Impl() {
        if (session) llvm::cantFail(session->endSession()); // frees the code, through the linker
        linker.reset();
    }
};

LoadedKernel::LoadedKernel(const std::vector<char> &object, const std::string &entry)
    : m_impl(std::make_unique<Impl>()) {
    namespace orc = llvm::orc;
    auto process = orThrow(orc::SelfExecutorProcessControl::Create(), "cannot start the linker for kernels");
    m_impl->session = std::make_unique<orc::ExecutionSession>(std::move(process));
    std::string problems;
    m_impl->session->setErrorReporter([&problems](llvm::Error error) {
        problems += (problems.empty() ? "" : "; ") + llvm::toString(std::move(error));
    });
    m_impl->linker = std::make_unique<orc::ObjectLinkingLayer>(*m_impl->session);
    orc::JITDylib &dylib = m_impl->session->createBareJITDylib("kernel");
    dylib.addGenerator(std::make_unique<MathSymbols>());
    auto buffer = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(object.data(), object.size()), "kernel", false);
    if (llvm::Error error = m_impl->linker->add(dylib, std::move(buffer)))
        throw Error(fmt::format("the object of the kernel `{}`, of {} bytes, cannot be loaded: {}", entry,
                                object.size(), llvm::toString(std::move(error))));
    auto symbol = m_impl->session->lookup({&dylib}, entry);
    if (!symbol) {
        const std::string cause = llvm::toString(symbol.takeError());
        throw Error("the kernel cannot be linked: " + (problems.empty() ? cause : problems));
    }
    m_impl->session->setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
    m_impl->entry = symbol->getAddress().toPtr<LoopscopeKernel>();
}

LoadedKernel::~LoadedKernel() = default;
LoadedKernel::LoadedKernel(LoadedKernel &&) noexcept = default;
LoadedKernel &LoadedKernel::operator=(LoadedKernel &&) noexcept = default;

void LoadedKernel::operator()(void *const *args, const LoopscopeRuntime &runtime) const {
    m_impl->entry(args, &runtime);
}

} // namespace loopscope
