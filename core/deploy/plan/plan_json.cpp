#include "deploy/plan/plan_json.h"

#include "base/outcome.h"
#include "schedule/steps_json.h"

#include <fmt/format.h>

namespace loopscope {

namespace {

using Json = nlohmann::ordered_json;

std::string_view actionName(KernelAction action) {
    switch (action) {
    case KernelAction::Run:
        return "run";
    case KernelAction::Nothing:
        return "nothing";
    case KernelAction::Copy:
        return "copy";
    }
    return {};
}

Json packingJson(const std::vector<PackedDim> &packing) {
    Json dims = Json::array();
    for (const PackedDim &dim : packing) dims.push_back({dim.origin, dim.stride, dim.extent});
    return dims;
}

Json tensorJson(const PlanTensor &tensor) {
    return {{"name", tensor.name}, {"type", dtypeName(tensor.dtype)}, {"dims", tensor.dims}};
}

Json tensorsJson(const std::vector<PlanTensor> &tensors) {
    Json all = Json::array();
    for (const PlanTensor &tensor : tensors) all.push_back(tensorJson(tensor));
    return all;
}

Json kernelJson(const PlanKernel &kernel, const StoreBytes &store) {
    Json args = Json::array();
    for (const KernelArg &arg : kernel.code.launch.args)
        args.push_back({{"name", arg.name},
                        {"output", arg.output},
                        {"type", dtypeName(arg.dtype)},
                        {"shape", arg.shape},
                        {"elements", arg.elements},
                        {"packing", packingJson(arg.packing)}});
    Json json = {{"key", kernel.key},
                 {"name", kernel.name},
                 {"steps", Json::parse(stepsText(kernel.steps))},
                 {"schedule", kernel.schedule},
                 {"flops", kernel.flops},
                 {"entry", kernel.code.launch.entry},
                 {"threads", kernel.code.launch.threads},
                 {"scratch", kernel.code.launch.scratchBytes},
                 {"arguments", std::move(args)},
                 {"object", store(std::as_bytes(std::span(kernel.code.object)))},
                 {"bytes", kernel.code.object.size()}};
    if (kernel.routine) json["routine"] = routineJson(*kernel.routine);
    if (kernel.host) json["host"] = kernel.host->text;
    return json;
}

Json callJson(const PlanCall &call) {
    Json arguments = Json::array();
    for (const PlanArgument &argument : call.arguments)
        arguments.push_back({storageKindName(argument.kind), argument.at, argument.bytes, argument.value});
    Json json = {{"name", call.name}, {"action", actionName(call.action)}};
    if (call.action == KernelAction::Run) json["kernel"] = call.kernel;
    json["arguments"] = std::move(arguments);
    json["outputs"] = tensorsJson(call.outputs);
    json["nodes"] = call.nodes;
    json["sources"] = call.sources;
    for (const IndexCheck &check : call.checks)
        json["checks"].push_back({{"argument", check.argument},
                                  {"type", dtypeName(check.dtype)},
                                  {"dims", check.dims},
                                  {"extents", check.extents},
                                  {"axis", check.axis},
                                  {"node", check.node},
                                  {"data", check.data}});
    for (const PlanDivisor &divisor : call.divisors)
        json["divisors"].push_back({divisor.argument, tensorsJson({divisor.tensor}).front(), divisor.node});
    return json;
}

Json constantJson(const PlanConstant &constant, const StoreBytes &store) {
    const bool splat = constant.value.isSplat();
    const HostTensor kept = (splat ? constant.value.elementAt(0) : constant.value).dense();
    return {{"name", constant.name},
            {"hash", constant.hash},
            {"type", dtypeName(constant.value.dtype())},
            {"dims", constant.value.dims()},
            {"splat", splat},
            {"at", store({kept.byteSize() > 0 ? kept.bytes() : nullptr, kept.byteSize()})}};
}

/// Reads members, and knows where it is for sentences.
class PlanReader {
  public:
    using In = JsonPart;

    explicit PlanReader(std::shared_ptr<const MappedFile> data) : m_data(std::move(data)) {}

    ExecutionPlan read(const In &json) {
        ExecutionPlan plan;
        plan.network = json.at("network").get<std::string>();
        plan.target = json.at("target").get<std::string>();
        plan.arenaBytes = json.at("arena").get<size_t>();
        plan.livePeak = json.at("live_peak").get<size_t>();
        plan.withoutReuse = json.at("without_reuse").get<size_t>();
        for (const In &each : json.at("inputs").items()) plan.inputs.push_back(tensor(each));
        for (const In &each : json.at("outputs").items()) plan.outputs.push_back(tensor(each));
        for (const In &each : json.at("kernels").items()) plan.kernels.push_back(kernel(each));
        for (const In &each : json.at("calls").items()) plan.calls.push_back(call(each));
        for (const In &each : json.at("constants").items()) plan.constants.push_back(constant(each));
        for (const In &each : json.at("packed").items())
            plan.packed.push_back(
                {each.at("constant").get<size_t>(), packing(each.at("packing")), each.at("bytes").get<size_t>()});
        for (const In &each : json.at("values").items()) plan.values.push_back(value(each));
        return plan;
    }

  private:
    static DType type(const In &json) {
        const auto name = json.get<std::string>();
        const auto found = dtypeFromName(name);
        if (!found) throw Error("no such type: `" + name + "`");
        return *found;
    }
    static StorageKind kind(const In &json) {
        const auto name = json.get<std::string>();
        for (const StorageKind each :
             {StorageKind::Arena, StorageKind::Input, StorageKind::Output, StorageKind::Constant})
            if (name == storageKindName(each)) return each;
        throw Error("no such kind of memory: `" + name + "`");
    }
    static std::vector<PackedDim> packing(const In &json) {
        std::vector<PackedDim> dims;
        for (const In &each : json.items())
            dims.push_back({each.at(0).get<int>(), each.at(1).get<int64_t>(), each.at(2).get<int64_t>()});
        return dims;
    }
    static PlanTensor tensor(const In &json) {
        PlanTensor tensor = {json.at("name").get<std::string>(), type(json.at("type")),
                             json.at("dims").get<std::vector<int64_t>>()};
        if (elementCount(tensor.dims) < 0) throw Error("the dims of `" + tensor.name + "` are no dims of a tensor");
        return tensor;
    }
    [[nodiscard]] std::span<const std::byte> bytes(size_t at, size_t count, const std::string &what) const {
        const auto all = m_data->bytes();
        if (at > all.size() || count > all.size() - at)
            throw Error(fmt::format("{} would stand behind the end of {}", what, m_data->path()));
        return all.subspan(at, count);
    }
    PlanKernel kernel(const In &json) const {
        PlanKernel kernel;
        kernel.key = json.at("key").get<std::string>();
        kernel.name = json.at("name").get<std::string>();
        kernel.steps = stepsFromJson(json.at("steps").json());
        kernel.schedule = json.at("schedule").get<std::string>();
        kernel.flops = json.at("flops").get<double>();
        KernelLaunch &launch = kernel.code.launch;
        launch.entry = json.at("entry").get<std::string>();
        launch.threads = json.at("threads").get<int64_t>();
        launch.scratchBytes = json.at("scratch").get<int64_t>();
        for (const In &each : json.at("arguments").items())
            launch.args.push_back({each.at("name").get<std::string>(), each.at("output").get<bool>(),
                                   type(each.at("type")), each.at("elements").get<int64_t>(),
                                   each.at("shape").get<std::vector<int64_t>>(), packing(each.at("packing"))});
        const auto code =
            bytes(json.at("object").get<size_t>(), json.at("bytes").get<size_t>(), "the code of `" + kernel.name + "`");
        const auto *first = reinterpret_cast<const char *>(code.data());
        kernel.code.object.assign(first, first + code.size());
        if (const auto routine = json.find("routine")) kernel.routine = routineFromJson(*routine);
        if (const auto host = json.find("host")) kernel.host = HostRoutine{host->get<std::string>()};
        return kernel;
    }
    static PlanCall call(const In &json) {
        PlanCall call;
        call.name = json.at("name").get<std::string>();
        const auto action = json.at("action").get<std::string>();
        bool known = false;
        for (const KernelAction each : {KernelAction::Run, KernelAction::Nothing, KernelAction::Copy})
            if (action == actionName(each)) {
                call.action = each;
                known = true;
            }
        if (!known) throw Error("call `" + call.name + "` does `" + action + "`, which nothing can do");
        if (call.action == KernelAction::Run) call.kernel = json.at("kernel").get<size_t>();
        for (const In &each : json.at("arguments").items())
            call.arguments.push_back(
                {kind(each.at(0)), each.at(1).get<size_t>(), each.at(2).get<size_t>(), each.at(3).get<std::string>()});
        for (const In &each : json.at("outputs").items()) call.outputs.push_back(tensor(each));
        call.nodes = json.at("nodes").get<std::vector<std::string>>();
        call.sources = json.at("sources").get<std::vector<std::string>>();
        if (const auto checks = json.find("checks"))
            for (const In &each : checks->items())
                call.checks.push_back({each.at("argument").get<size_t>(), type(each.at("type")),
                                       each.at("dims").get<std::vector<int64_t>>(),
                                       each.at("extents").get<std::vector<int64_t>>(), each.at("axis").get<size_t>(),
                                       each.at("node").get<std::string>(), each.at("data").get<std::string>()});
        if (const auto divisors = json.find("divisors"))
            for (const In &each : divisors->items())
                call.divisors.push_back({each.at(0).get<size_t>(), tensor(each.at(1)), each.at(2).get<std::string>()});
        return call;
    }
    PlanConstant constant(const In &json) const {
        PlanConstant constant;
        constant.name = json.at("name").get<std::string>();
        constant.hash = json.at("hash").get<std::string>();
        const PlanTensor like = {constant.name, type(json.at("type")), json.at("dims").get<std::vector<int64_t>>()};
        if (elementCount(like.dims) < 0) throw Error("the dims of `" + constant.name + "` are no dims of a tensor");
        const bool splat = json.at("splat").get<bool>();
        const auto at = json.at("at").get<size_t>();
        const size_t size = splat ? static_cast<size_t>(dtypeBytes(like.dtype)) : like.bytes();
        (void)bytes(at, size, "constant `" + constant.name + "`");
        if (!splat) {
            constant.value = HostTensor::mapped(like.dtype, like.dims, m_data, at);
            return constant;
        }
        const HostTensor one = HostTensor::mapped(like.dtype, {1}, m_data, at);
        constant.value = isFloat(like.dtype) ? HostTensor::splat(like.dtype, like.dims, one.number(0))
                                             : integerSplat(like.dtype, like.dims, one.integer(0));
        return constant;
    }
    static PlanValue value(const In &json) {
        return {json.at("name").get<std::string>(),  kind(json.at("kind")),          json.at("offset").get<size_t>(),
                json.at("bytes").get<size_t>(),      json.at("first").get<size_t>(), json.at("last").get<size_t>(),
                json.at("shares").get<std::string>()};
    }

    std::shared_ptr<const MappedFile> m_data;
};

} // namespace

nlohmann::ordered_json planJson(const ExecutionPlan &plan, const StoreBytes &store) {
    Json json = {{"network", plan.network},
                 {"target", plan.target},
                 {"arena", plan.arenaBytes},
                 {"live_peak", plan.livePeak},
                 {"without_reuse", plan.withoutReuse},
                 {"inputs", tensorsJson(plan.inputs)},
                 {"outputs", tensorsJson(plan.outputs)}};
    for (const char *list : {"kernels", "calls", "constants", "packed", "values"}) json[list] = Json::array();
    for (const PlanKernel &kernel : plan.kernels) json["kernels"].push_back(kernelJson(kernel, store));
    for (const PlanCall &call : plan.calls) json["calls"].push_back(callJson(call));
    for (const PlanConstant &constant : plan.constants) json["constants"].push_back(constantJson(constant, store));
    for (const PackedConstant &packed : plan.packed)
        json["packed"].push_back(
            {{"constant", packed.constant}, {"packing", packingJson(packed.packing)}, {"bytes", packed.bytes}});
    for (const PlanValue &value : plan.values)
        json["values"].push_back({{"name", value.name},
                                  {"kind", storageKindName(value.kind)},
                                  {"offset", value.offset},
                                  {"bytes", value.bytes},
                                  {"first", value.first},
                                  {"last", value.last},
                                  {"shares", value.sharesWith}});
    return json;
}

ExecutionPlan planFromJson(const JsonPart &json, const std::shared_ptr<const MappedFile> &data) {
    return PlanReader(data).read(json);
}

} // namespace loopscope
