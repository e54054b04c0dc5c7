#include "codegen/llvm/loop_emitter.h"

#include "codegen/llvm/block_transpose.h"
#include "codegen/llvm/emit_module.h"
#include "codegen/llvm/outlined_body.h"
#include "codegen/llvm/statement_emitter.h"

#include <algorithm>
#include <bit>

namespace loopscope {

namespace {

/// A vectorized loop of at most so many stores (chunks times stores of its body) is written out, a longer one is a loop
/// over chunks. Loops over register buffers are always written out: registers have no index.
constexpr int64_t maxChunkSteps = 64;

bool touchesRegisters(Stmt stmt) {
    if (!stmt) return false;
    if (stmt->kind == StmtKind::Store && stmt->buffer->scope == MemoryScope::Register) return true;
    for (Stmt child : stmt->body())
        if (touchesRegisters(child)) return true;
    return false;
}

} // namespace

LoopEmitter::LoopEmitter(EmitContext &context, ModuleFrame &frame, IndexForms &forms, MemoryEmitter &memory,
                         StatementEmitter &statements)
    : m_context(context), m_builder(context.builder), m_frame(frame), m_forms(forms), m_memory(memory),
      m_statements(statements), m_plan(context.program, context.target.isGpu()) {
    if (!context.target.isGpu()) m_prefetches.emplace(context.program, m_plan);
}

void LoopEmitter::emit(const StmtNode &loop) {
    const int64_t extent = loop.extent->kind == ExprKind::IntImm ? loop.extent->intValue : -1;
    if (extent == 0) return;
    const bool virtualThread = loop.loop == LoopKind::VThread && m_context.target.isGpu(); // a loop of each thread
    if (loop.loop >= LoopKind::BlockX && !virtualThread)
        throw ProgramRefused{"loop `" + std::string(loop.var->name()) + "` is bound to " +
                             std::string(loopKindName(loop.loop)) + ", which " +
                             (m_context.target.isGpu() ? "stands inside a thread; bound loops stand around it"
                                                       : "a CPU kernel does not have")};
    const IndexForms::Scope scope(m_forms);
    const Lanes &lanes = m_context.lanes;
    if (loop.loop == LoopKind::Parallel && extent != 1 && !m_insideParallel && lanes.width() == 1)
        emitParallel(loop);
    else if (m_plan.vectorizes(loop) && lanes.width() == 1 && lanes.lane() < 0)
        emitVectorized(loop, extent);
    else if (emitTransposed(loop))
        ;
    else if (m_plan.unrolls(loop))
        emitUnrolled(loop, extent);
    else
        emitSerial(loop);
    m_forms.unbind(loop.var);
}

template <typename Body>
void LoopEmitter::emitCountedLoop(llvm::Value *begin, llvm::Value *end, bool runsAtLeastOnce, Interval range,
                                  const Body &body) {
    // Registers of GPUs have 32 bits.
    const bool narrow = m_context.target.isGpu() && range.max < INT32_MAX;
    llvm::Type *type = narrow ? m_builder.getInt32Ty() : m_builder.getInt64Ty();
    begin = m_builder.CreateIntCast(begin, type, true);
    end = m_builder.CreateIntCast(end, type, true);
    auto *before = m_builder.GetInsertBlock();
    auto *block = m_frame.newBlock("loop");
    auto *after = m_frame.newBlock("loop.end");
    // Tested at the bottom, the form the optimiser would bring it into.
    if (runsAtLeastOnce)
        m_builder.CreateBr(block);
    else
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(begin, end), block, after);
    m_builder.SetInsertPoint(block);
    llvm::PHINode *counter = m_builder.CreatePHI(type, 2);
    counter->addIncoming(begin, before);
    const llvm::DebugLoc line = m_builder.getCurrentDebugLocation();
    body(m_forms.atomForm(m_builder.CreateIntCast(counter, m_builder.getInt64Ty(), true), range));
    m_builder.SetCurrentDebugLocation(line);
    llvm::Value *next = m_builder.CreateNSWAdd(counter, llvm::ConstantInt::get(type, 1));
    counter->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, end), block, after);
    m_builder.SetInsertPoint(after);
}

LinearIndex LoopEmitter::firstOf(const StmtNode &loop) {
    LinearIndex first;
    if (loop.min && !m_forms.tryForm(loop.min, first))
        throw ProgramRefused{"the first value of loop `" + std::string(loop.var->name()) +
                             "` is not linear: " + toText(loop.min)};
    return first;
}

void LoopEmitter::emitBody(const StmtNode &loop, const LinearIndex &value) {
    m_forms.bind(loop.var, value);
    m_statements.emit(loop.children[0]);
}

void LoopEmitter::emitSerial(const StmtNode &loop) {
    const LinearIndex extent = m_forms.requireForm(loop.extent, "the trip count");
    const Interval trips = m_forms.rangeOf(extent);
    const LinearIndex first = firstOf(loop);
    llvm::Value *end = m_forms.scalarOf(extent);
    emitCountedLoop(m_builder.getInt64(0), end, trips.min >= 1, Interval{0, std::max<int64_t>(trips.max - 1, 0)},
                    [&](const LinearIndex &counter) {
                        LinearIndex value = first;
                        value.add(counter);
                        m_forms.bind(loop.var, value);
                        emitPrefetches(loop);
                        m_statements.emit(loop.children[0]);
                    });
}

void LoopEmitter::emitPrefetches(const StmtNode &loop) {
    if (!m_prefetches || m_context.lanes.width() != 1) return;
    for (const WeightPrefetch &prefetch : m_prefetches->of(loop)) {
        const IndexForms::Scope scope(m_forms);
        for (const Expr inner : prefetch.inner) m_forms.bind(inner, LinearIndex());
        m_memory.prefetch(*prefetch.buffer, prefetch.load->operands(), prefetch.lines);
        for (const Expr inner : prefetch.inner) m_forms.unbind(inner);
    }
}

void LoopEmitter::emitUnrolled(const StmtNode &loop, int64_t extent) {
    const LinearIndex first = firstOf(loop);
    for (int64_t i = 0; i < extent; ++i) {
        LinearIndex value = first;
        value.constant += i;
        emitBody(loop, value);
    }
}

void LoopEmitter::emitVectorized(const StmtNode &loop, int64_t extent) {
    const int lanes = chunkLanes(loop, std::max(16, m_context.target.vectorBytes));
    LinearIndex first;
    if (loop.min) first = m_forms.requireForm(loop.min, "the first value");
    const int64_t chunks = extent / lanes;
    const int64_t steps = chunks * std::max<int64_t>(1, m_plan.steps(*loop.children[0].node()));
    if (chunks > 1 && steps > maxChunkSteps && !touchesRegisters(loop.children[0])) {
        emitCountedLoop(m_builder.getInt64(0), m_builder.getInt64(chunks), true, Interval::upTo(chunks),
                        [&](const LinearIndex &counter) {
                            LinearIndex at = first;
                            at.add(counter, lanes);
                            emitChunk(loop, at, lanes, lanes);
                        });
    } else {
        for (int64_t c = 0; c < chunks; ++c) {
            LinearIndex at = first;
            at.constant += c * lanes;
            emitChunk(loop, at, lanes, lanes);
        }
    }
    // What is left: one masked vector where the machine has masked memory accesses for it, else halves.
    int64_t done = chunks * lanes;
    const bool maskable = m_context.target.vectorBytes >= 32 && m_context.target.vectorBytes / lanes >= 4;
    while (done < extent) {
        const int left = int(extent - done);
        LinearIndex at = first;
        at.constant += done;
        const int above = int(std::bit_ceil(unsigned(left)));
        const bool masked = maskable && left != above && above >= 4;
        const int width = masked ? above : int(std::bit_floor(unsigned(left)));
        const int active = masked ? left : width;
        emitChunk(loop, at, width, active);
        done += active;
    }
}

void LoopEmitter::emitChunk(const StmtNode &loop, const LinearIndex &first, int width, int active) {
    const IndexForms::Scope scope(m_forms);
    LinearIndex value = first;
    if (width > 1) value.lane = 1;
    const Lanes::Scope lanes = m_context.lanes.chunk(width, active);
    emitBody(loop, value);
}

bool LoopEmitter::emitTransposed(const StmtNode &loop) {
    const Lanes &lanes = m_context.lanes;
    if (lanes.width() != 1 || lanes.lane() >= 0 || lanes.mask() || m_context.target.isGpu()) return false;
    const std::optional<TransposingCopy> copy = transposingCopy(loop, m_context.target, m_plan);
    if (!copy) return false;
    BlockTranspose blocks(*copy, m_context, m_forms, m_memory);
    const LinearIndex outer = firstOf(loop);
    const LinearIndex inner = firstOf(*copy->inner);
    for (const StmtNode *between : copy->between) m_forms.bind(between->var, LinearIndex());
    const bool helps = blocks.helps(outer, inner);
    for (const StmtNode *between : copy->between) m_forms.unbind(between->var);
    if (!helps) return false;
    m_frame.setLine(*copy->store);
    const int64_t across = copy->inner->extent->intValue / copy->lanes;
    LinearIndex row;
    const auto columns = [&] {
        for (int64_t i = 0; i < across; ++i) {
            LinearIndex column = inner;
            column.constant += i * copy->lanes;
            blocks.emit(row, column);
        }
    };
    const auto inside = [&](const auto &self, size_t depth) -> void {
        if (depth == copy->between.size()) return columns();
        const StmtNode &between = *copy->between[depth];
        emitBlocks(between.extent->intValue, [&](const LinearIndex &counter) {
            m_forms.bind(between.var, counter);
            self(self, depth + 1);
            m_forms.unbind(between.var);
        });
    };
    emitBlocks(loop.extent->intValue / copy->lanes, [&](const LinearIndex &counter) {
        row = outer;
        row.add(counter, copy->lanes);
        inside(inside, 0);
    });
    m_forms.unbind(copy->inner->var);
    return true;
}

template <typename Body> void LoopEmitter::emitBlocks(int64_t count, const Body &body) {
    if (count == 1)
        body(LinearIndex());
    else if (count > 1)
        emitCountedLoop(m_builder.getInt64(0), m_builder.getInt64(count), true, Interval::upTo(count), body);
}

void LoopEmitter::emitParallel(const StmtNode &loop) {
    const LinearIndex extent = m_forms.requireForm(loop.extent, "the trip count");
    const Interval trips = m_forms.rangeOf(extent);
    llvm::Value *count = m_forms.scalarOf(extent);

    OutlinedBody body(m_context, m_frame, m_forms, m_memory, loop);
    m_insideParallel = true;
    LinearIndex first;
    if (loop.min) first = m_forms.requireForm(loop.min, "the first value");
    emitCountedLoop(body.begin(), body.end(), false, Interval{0, std::max<int64_t>(trips.max - 1, 0)},
                    [&](const LinearIndex &counter) {
                        LinearIndex value = first;
                        value.add(counter);
                        emitBody(loop, value);
                    });
    m_insideParallel = false;
    body.finish();

    auto *ptr = m_builder.getPtrTy();
    auto *type = llvm::FunctionType::get(m_builder.getVoidTy(), {ptr, m_builder.getInt64Ty(), ptr}, false);
    m_builder.CreateCall(type, m_frame.runtimeField(0), {body.function(), count, body.captured()});
}

} // namespace loopscope
