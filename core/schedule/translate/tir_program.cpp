#include "schedule/translate/tir_program.h"

#include <fmt/format.h>
#include <string_view>
#include <translate_texts.h>

namespace loopscope {

namespace {

std::string indented(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) text += line.empty() ? "\n" : "    " + line + "\n";
    return text;
}

} // namespace

std::string tirProgramText(const TirProgram &program) {
    std::string text = fmt::format(
        "# {}: a schedule in TensorIR, for apache-tvm 0.27.\n"
        "import argparse\nimport sys\nfrom pathlib import Path\n\n"
        "import ml_dtypes\nimport numpy as np\nimport tvm\nfrom tvm import te, tirx\n"
        "from tvm.s_tir import Schedule, ScheduleError\n\n"
        "# name, shape, type, whether it is an output\nARGUMENTS = [\n{}]\n\n\n"
        "def workload():\n{}    return te.create_prim_func([{}])\n\n"
        "{}{}\ndef schedule():\n    sch = Schedule(tvm.IRModule({{\"main\": workload()}}))\n{}"
        "    return sch\n",
        program.name, program.arguments, indented(program.workload), program.given, program.startsSums ? kStartSum : "",
        program.asksLength ? kConstantLength : "", indented(program.schedule));
    text += kMain;
    return text;
}

} // namespace loopscope
