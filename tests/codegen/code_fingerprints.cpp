#include "code_fingerprints.h"

#include "base/thread_pool.h"
#include "codegen/code_generator.h"
#include "codegen/lower/lower.h"
#include "language/dag/compute_dag.h"
#include "language/dag/md5.h"
#include "language/te/workload.h"
#include "schedule/loop_state.h"
#include "schedule/steps_json.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>
#include <nlohmann/json.hpp>

#include <cctype>
#include <fstream>
#include <sstream>

namespace loopscope {

namespace {

/// Nothing in it is asked of this machine.
Target fixedTarget(const char *cpu, int vectorBytes, int vectorRegisters) {
    Target target;
    target.cpu = cpu;
    target.attrs["mcpu"] = cpu;
    target.hardware.numCores = 4;
    target.vectorBytes = vectorBytes;
    target.vectorRegisters = vectorRegisters;
    return target;
}

std::string fileOf(const std::string &workload) {
    const std::string own = codeDataFile(workload);
    return std::ifstream(own) ? own : std::string(LOOPSCOPE_SOURCE_DIR) + "/samples/" + workload;
}

std::string codeFor(const CodeRecord &record, const LoopState &state, const Target &target) {
    LowerOptions options;
    options.layoutRewrite = record.layoutRewrite;
    const Outcome<LoopProgram> program = lower(state, target, options);
    if (!program) return "refused: " + program.why();
    const Outcome<std::unique_ptr<CodeGenerator>> generator = makeCodeGenerator(target);
    if (!generator) throw Error(generator.why());
    const Outcome<MachineCode> code = (*generator)->compile(*program);
    if (!code) return "refused: " + code.why();
    const std::vector<char> &object = code->kernel.object;
    return "loops " + md5Hex(printProgram(*program)) + " code " + md5Hex({object.data(), object.size()});
}

} // namespace

std::string codeDataFile(const std::string &name) { return std::string(LOOPSCOPE_SOURCE_DIR) + "/tests/data/" + name; }

std::vector<CodeRecord> codeRecords(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be read");
    std::vector<CodeRecord> records;
    CodeRecord record;
    std::string workload;
    int ofWorkload = 0;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty() || line[0] == '#') continue;
        if (std::isdigit(static_cast<unsigned char>(line[0])) != 0) {
            if (workload.empty()) throw Error(path + ":" + std::to_string(number) + ": no workload stands before it");
            record.layoutRewrite = line[0] - '0';
            record.steps = line.substr(2);
            record.name = workload + " #" + std::to_string(++ofWorkload);
            records.push_back(record);
            continue;
        }
        workload = line;
        ofWorkload = 0;
        record.params.clear();
        std::istringstream words(line);
        words >> record.workload;
        record.workload = fileOf(record.workload);
        for (std::string word; words >> word;) {
            const size_t equals = word.find('=');
            if (equals == std::string::npos)
                throw Error(path + ":" + std::to_string(number) + ": '" + word + "' is not NAME=VALUE");
            record.params.emplace_back(word.substr(0, equals), std::stoll(word.substr(equals + 1)));
        }
    }
    return records;
}

std::string codeFingerprint(const CodeRecord &record) {
    const DagPtr dag = ComputeDag::fromWorkload(loadWorkload(record.workload, record.params));
    const Outcome<LoopState> state = replay(dag, stepsFromJson(nlohmann::json::parse(record.steps)));
    if (!state) return record.name + ": refused: " + state.why();
    std::string line = record.name + ":";
    for (const Target &target : {fixedTarget("skylake-avx512", 64, 32), fixedTarget("haswell", 32, 16)})
        line += " " + target.cpu + " " + codeFor(record, *state, target);
    return line;
}

std::string fingerprintOrigin() {
    return "LLVM " LLVM_VERSION_STRING ", " + llvm::Triple(llvm::sys::getProcessTriple()).getArchName().str();
}

std::vector<std::string> codeFingerprints(const std::vector<CodeRecord> &records, int threads) {
    std::vector<std::string> lines(records.size());
    ThreadPool(threads).forEach(records.size(), [&](size_t i, int) { lines[i] = codeFingerprint(records[i]); });
    return lines;
}

std::vector<std::string> fingerprintLines(const std::string &path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') lines.push_back(line);
    return lines;
}

} // namespace loopscope
