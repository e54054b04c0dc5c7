#include "show_gpu.h"

#include "base/outcome.h"
#include "codegen/cuda/cuda_source.h"
#include "codegen/kernel_limits/kernel_limits.h"
#include "codegen/kernel_limits/machine_code.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

Json linksOf(const LinkedText &code, int shift) {
    Json links = Json::array();
    for (const LineLink &link : code.links) links.push_back({link.textLine + shift, link.programLine});
    return links;
}

Json limitsJson(const KernelLimits &limits) {
    Json json = {{"kernel", limits.kernel},
                 {"computes", limits.computes},
                 {"grid", limits.grid},
                 {"block", limits.block},
                 {"threads", limits.threads},
                 {"shared_bytes", limits.sharedBytes},
                 {"registers", nullptr},
                 {"spills", nullptr},
                 {"occupancy", limits.occupancy.fraction},
                 {"blocks_at_once", limits.occupancy.blocks},
                 {"limiter", limiterName(limits.occupancy.limiter)},
                 {"refused", nullptr}};
    if (limits.resources) {
        json["registers"] = limits.resources->registers;
        json["spills"] = limits.resources->spillStoreBytes + limits.resources->spillLoadBytes;
    }
    if (!limits.refused.empty()) json["refused"] = limits.refused;
    return json;
}

std::string limitsText(const KernelLimits &limits, int warpsOfGpu) {
    std::string text =
        fmt::format("{} computes {}\n    grid {}, block {}: {} thread{} a block, {} bytes of shared memory\n",
                    limits.kernel, fmt::join(limits.computes, ", "), fmt::join(limits.grid, " x "),
                    fmt::join(limits.block, " x "), limits.threads, limits.threads == 1 ? "" : "s", limits.sharedBytes);
    if (limits.resources) {
        const KernelResources &own = *limits.resources;
        text += fmt::format("    {} registers a thread, {}\n", own.registers,
                            own.spillStoreBytes + own.spillLoadBytes == 0
                                ? std::string("no spills")
                                : fmt::format("spills {} bytes and reads {}", own.spillStoreBytes, own.spillLoadBytes));
    }
    const Occupancy &occupancy = limits.occupancy;
    text +=
        fmt::format("    occupancy {:.1f} %: {} block{} at once, {} of {} warps; limited by {}{}\n",
                    100 * occupancy.fraction, occupancy.blocks, occupancy.blocks == 1 ? "" : "s", occupancy.warps,
                    warpsOfGpu, limiterName(occupancy.limiter), limits.resources ? "" : " (registers are not known)");
    if (!limits.refused.empty()) text += "    refused: " + limits.refused + "\n";
    return text;
}

} // namespace

GpuForm cudaForm(const LoopProgram &program, const Target &target) {
    const Outcome<CudaSource> source = emitCuda(program, target);
    if (!source) throw Error(source.why());
    Json kernels = Json::array();
    for (const CudaKernel &kernel : source->kernels)
        kernels.push_back({{"name", kernel.name},
                           {"grid", kernel.launch.blocks},
                           {"block", kernel.launch.threads},
                           {"shared_bytes", kernel.launch.sharedBytes},
                           {"dynamic_shared_bytes", kernel.dynamicSharedBytes},
                           {"parameters", kernel.parameters}});
    return {source->code.text,
            {{"text", source->code.text},
             {"links", linksOf(source->code, 0)},
             {"loops", printProgram(program)},
             {"kernels", std::move(kernels)}}};
}

GpuForm sassForm(const LoopProgram &program, const Target &target) {
    CudaCompiler compiler(foundNvidiaTools(), {.workerPath = {}, .debugLines = true});
    const Outcome<GpuMachineCode> code = gpuMachineCode(program, target, compiler);
    if (!code) throw Error(code.why());
    const Outcome<SassText> sass = sassOf(*code);
    if (!sass) throw Error(sass.why());
    const std::string makers = code->compilers + ", " + sass->disassembler;
    const std::string text = "// " + makers + "\n" + sass->code.text;
    return {
        text,
        {{"text", text}, {"links", linksOf(sass->code, 1)}, {"loops", printProgram(program)}, {"compilers", makers}}};
}

GpuForm limitsForm(const LoopProgram *program, const Target &target, const std::string &refusedEarlier) {
    Json kernels = Json::array();
    Json json = Json::object();
    std::string text;
    std::string compilers;
    std::string uncompiled = refusedEarlier;
    std::vector<KernelLimits> all;
    if (program != nullptr) {
        all = limitsOf(*program, target);
        for (const KernelLimits &limits : all)
            if (uncompiled.empty()) uncompiled = limits.refused;
    }
    if (uncompiled.empty()) {
        CudaCompiler compiler(foundNvidiaTools());
        const Outcome<GpuMachineCode> code = gpuMachineCode(*program, target, compiler);
        uncompiled = code ? code->unassembled : code.why();
        if (uncompiled.empty()) {
            compilers = code->compilers;
            addResources(all, code->resources, target);
        }
    }
    const int warp = std::max(1, target.hardware.warpSize);
    for (const KernelLimits &limits : all) {
        kernels.push_back(limitsJson(limits));
        text += limitsText(limits, target.gpu.threadsPerMultiprocessor / warp);
    }
    if (program == nullptr) {
        for (const char *name :
             {"grid", "block", "threads", "shared_bytes", "registers", "spills", "occupancy", "limiter"})
            json[name] = nullptr;
        json["refused"] = refusedEarlier;
        text = "refused: " + refusedEarlier + "\n";
    } else if (kernels.size() == 1) {
        json = kernels.front();
    }
    json["kernels"] = std::move(kernels);
    json["compilers"] = compilers.empty() ? Json() : Json(compilers);
    json["uncompiled"] = compilers.empty() ? Json(uncompiled) : Json();
    if (!compilers.empty())
        text += "compiled by " + compilers + "\n";
    else if (program != nullptr)
        text += "not compiled: " + uncompiled + "\n";
    return {std::move(text), std::move(json)};
}

} // namespace loopscope
