#include "codegen/nvptx/emit_kernels.h"

#include "codegen/kernel_parameters.h"
#include "codegen/llvm/element_types.h"
#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/emit_module.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/loop_emitter.h"
#include "codegen/llvm/math_calls.h"
#include "codegen/llvm/memory_emitter.h"
#include "codegen/llvm/module_frame.h"
#include "codegen/llvm/statement_emitter.h"
#include "codegen/llvm/value_emitter.h"
#include "codegen/loop_ir/walk.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>

#include <array>

namespace loopscope {

namespace {

// Address spaces of NVPTX.
constexpr unsigned kGlobalMemory = 1;
constexpr unsigned kSharedMemory = 3;

llvm::Intrinsic::ID numberOf(LoopKind kind) {
    switch (kind) {
    case LoopKind::BlockX:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
    case LoopKind::BlockY:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y;
    case LoopKind::BlockZ:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z;
    case LoopKind::ThreadX:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x;
    case LoopKind::ThreadY:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y;
    default:
        return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z;
    }
}

/// The parts of one module, wired; made for it and thrown away with it.
class KernelEmitter {
  public:
    KernelEmitter(const LoopProgram &program, const Target &target, llvm::LLVMContext &llvm, bool debugLines)
        : m_context(program, target, llvm), m_frame(m_context, debugLines) {}

    void emit(const GpuKernel &kernel) {
        const IndexForms::Scope scope(m_forms);
        llvm::Function *function = beginKernel(kernel);
        for (size_t i = 0; i < kernel.parameters.size(); ++i) {
            describeParameter(*function->getArg(static_cast<unsigned>(i)), kernel.parameters[i]);
            m_memory.define(*kernel.parameters[i].buffer, function->getArg(static_cast<unsigned>(i)));
        }
        defineShared(kernel);
        for (const BoundLoop &bound : kernel.bound) bind(bound);
        m_statements.emit(kernel.body);
        for (const BoundLoop &bound : kernel.bound) m_forms.unbind(bound.loop->var);
        for (const KernelParameter &parameter : kernel.parameters) m_memory.forget(*parameter.buffer);
        for (const Buffer *buffer : kernel.sharedBuffers) m_memory.forget(*buffer);
        m_frame.endFunction();
    }

    std::unique_ptr<llvm::Module> finish() { return m_frame.finishFunctions(); }

  private:
    llvm::Function *beginKernel(const GpuKernel &kernel) {
        auto *pointer = llvm::PointerType::get(m_context.llvm, kGlobalMemory);
        const std::vector<llvm::Type *> types(kernel.parameters.size(), pointer);
        llvm::Function *function =
            m_frame.beginFunction(llvm::FunctionType::get(m_context.builder.getVoidTy(), types, false), kernel.name);
        function->setCallingConv(llvm::CallingConv::PTX_Kernel);
        // So many threads and no other number: registers are given out accordingly, and any other launch is refused.
        constexpr std::array<const char *, 3> names = {"reqntidx", "reqntidy", "reqntidz"};
        llvm::NamedMDNode *facts = m_frame.module().getOrInsertNamedMetadata("nvvm.annotations");
        for (size_t d = 0; d < names.size(); ++d) {
            auto *threads = m_context.builder.getInt32(static_cast<uint32_t>(kernel.launch.threads[d]));
            const std::array<llvm::Metadata *, 3> fact = {llvm::ValueAsMetadata::get(function),
                                                          llvm::MDString::get(m_context.llvm, names[d]),
                                                          llvm::ConstantAsMetadata::get(threads)};
            facts->addOperand(llvm::MDNode::get(m_context.llvm, fact));
        }
        return function;
    }

    static void describeParameter(llvm::Argument &argument, const KernelParameter &parameter) {
        llvm::LLVMContext &context = argument.getContext();
        argument.setName(parameter.buffer->name);
        argument.addAttr(llvm::Attribute::NoAlias);
        argument.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(kThreadVectorBytes)));
        if (!parameter.written) argument.addAttr(llvm::Attribute::ReadOnly);
    }

    void defineShared(const GpuKernel &kernel) {
        if (!kernel.sharesOnePiece()) {
            for (const Buffer *buffer : kernel.sharedBuffers)
                m_memory.define(*buffer, sharedVariable(m_types.memoryType(buffer->dtype), buffer->elements(),
                                                        kernel.name + "_" + buffer->name));
            return;
        }
        llvm::Type *byte = m_context.builder.getInt8Ty();
        llvm::Value *piece = kernel.asksForShared()
                                 ? launchedPiece()
                                 : sharedVariable(byte, kernel.shared.bytes, kernel.name + "_shared_memory");
        for (const Buffer *buffer : kernel.sharedBuffers) {
            const auto offset = static_cast<uint64_t>(kernel.shared.offsets.at(buffer));
            m_memory.define(*buffer, m_context.builder.CreateConstInBoundsGEP1_64(byte, piece, offset));
        }
    }

    /// What the launch asks for, one for all kernels of the module.
    llvm::GlobalVariable *launchedPiece() {
        if (m_sharedPiece == nullptr) m_sharedPiece = sharedVariable(m_context.builder.getInt8Ty(), 0, "shared_piece");
        return m_sharedPiece;
    }

    /// Without elements: as many as the launch asks for.
    llvm::GlobalVariable *sharedVariable(llvm::Type *element, int64_t elements, const std::string &name) {
        auto *type = llvm::ArrayType::get(element, static_cast<uint64_t>(elements));
        const bool own = elements > 0;
        auto *memory = new llvm::GlobalVariable(
            m_frame.module(), type, false,
            own ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage,
            own ? llvm::UndefValue::get(type) : nullptr, name, nullptr, llvm::GlobalValue::NotThreadLocal,
            kSharedMemory); // the module owns it
        memory->setAlignment(llvm::Align(kThreadVectorBytes));
        return memory;
    }

    void bind(const BoundLoop &bound) {
        m_frame.setLine(*bound.loop.node());
        const int64_t extent = constantExtent(bound.loop);
        if (extent == 1) {
            m_forms.bind(bound.loop->var, LinearIndex::of(0));
            return;
        }
        llvm::IRBuilder<> &builder = m_context.builder;
        auto *number = llvm::cast<llvm::Instruction>(builder.CreateIntrinsic(numberOf(bound.kind), {}, {}));
        number->setMetadata(llvm::LLVMContext::MD_range,
                            llvm::MDBuilder(m_context.llvm)
                                .createRange(llvm::APInt(32, 0), llvm::APInt(32, static_cast<uint64_t>(extent))));
        m_forms.bind(bound.loop->var,
                     m_forms.atomForm(builder.CreateZExt(number, builder.getInt64Ty()), Interval::upTo(extent)));
    }

    EmitContext m_context;
    ModuleFrame m_frame;
    ElementTypes m_types{m_context};
    MathCalls m_math{m_context, m_frame, m_types};
    IndexForms m_forms{m_context, m_values};
    MemoryEmitter m_memory{m_context, m_frame, m_types, m_forms};
    ValueEmitter m_values{m_context, m_frame, m_types, m_math, m_forms, m_memory};
    LoopEmitter m_loops{m_context, m_frame, m_forms, m_memory, m_statements};
    StatementEmitter m_statements{m_context, m_frame, m_forms, m_values, m_memory, m_loops};
    llvm::GlobalVariable *m_sharedPiece = nullptr; // of all kernels that ask for shared memory at the launch
};

} // namespace

std::unique_ptr<llvm::Module> emitKernels(const LoopProgram &program, const Target &target, llvm::LLVMContext &context,
                                          bool debugLines) {
    KernelEmitter emitter(program, target, context, debugLines);
    for (const GpuKernel &kernel : gpuKernelsOf(program)) emitter.emit(kernel);
    return emitter.finish();
}

} // namespace loopscope
