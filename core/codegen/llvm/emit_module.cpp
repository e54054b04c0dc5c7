#include "codegen/llvm/emit_module.h"

#include "codegen/llvm/element_types.h"
#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/loop_emitter.h"
#include "codegen/llvm/math_calls.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"
#include "codegen/llvm/statement_emitter.h"
#include "codegen/llvm/value_emitter.h"

namespace loopscope {

namespace {

/// The parts of one module, wired; made for it and thrown away with it.
struct ModuleParts {
    EmitContext context;
    ModuleFrame frame;
    ElementTypes types{context};
    MathCalls math{context, frame, types};
    IndexForms forms{context, values};
    MemoryEmitter memory{context, frame, types, forms};
    ValueEmitter values{context, frame, types, math, forms, memory};
    LoopEmitter loops{context, frame, forms, memory, statements};
    StatementEmitter statements{context, frame, forms, values, memory, loops};

    ModuleParts(const LoopProgram &program, const Target &target, llvm::LLVMContext &llvm, bool debugLines)
        : context(program, target, llvm), frame(context, debugLines) {}
};

} // namespace

std::unique_ptr<llvm::Module> emitModule(const LoopProgram &program, const Target &target, llvm::LLVMContext &context,
                                         bool debugLines) {
    ModuleParts parts(program, target, context, debugLines);
    parts.frame.beginEntry();
    for (size_t i = 0; i < program.args.size(); ++i)
        parts.memory.define(*program.args[i].buffer, parts.frame.loadArgument(i));
    if (program.root) parts.statements.emit(program.root);
    return parts.frame.finish();
}

} // namespace loopscope
