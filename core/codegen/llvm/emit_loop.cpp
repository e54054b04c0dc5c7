// Loops: counted, written out, as lanes, and on several threads.
#include "codegen/llvm/emitter.h"

#include "check.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <bit>
#include <map>

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

/// Numbers of a function's values in the order of its text.
llvm::DenseMap<const llvm::Value *, unsigned> placesOf(const llvm::Function &function) {
    llvm::DenseMap<const llvm::Value *, unsigned> places;
    for (const llvm::Argument &argument : function.args()) places[&argument] = places.size();
    for (const llvm::Instruction &instruction : llvm::instructions(function)) places[&instruction] = places.size();
    return places;
}

} // namespace

void Emitter::emitFor(const StmtNode &loop) {
    const int64_t extent = loop.extent->kind == ExprKind::IntImm ? loop.extent->intValue : -1;
    if (extent == 0) return;
    if (loop.loop >= LoopKind::BlockX)
        throw ProgramRefused{"loop `" + std::string(loop.var->name()) + "` is bound to " +
                             std::string(loopKindName(loop.loop)) + ", which a CPU kernel does not have"};
    const size_t atoms = m_atoms.size();
    if (loop.loop == LoopKind::Parallel && extent != 1 && !m_insideParallel && m_lanes.width == 1)
        emitParallel(loop);
    else if (m_plan.vectorizes(loop) && m_lanes.width == 1 && m_lanes.lane < 0)
        emitVectorized(loop, extent);
    else if (m_plan.unrolls(loop))
        emitUnrolled(loop, extent);
    else
        emitSerial(loop);
    m_bindings.erase(loop.var.node());
    m_atoms.resize(atoms);
}

template <typename Body>
void Emitter::emitCountedLoop(llvm::Value *begin, llvm::Value *end, bool runsAtLeastOnce, Interval range,
                              const Body &body) {
    auto *before = m_builder.GetInsertBlock();
    auto *block = llvm::BasicBlock::Create(m_context, "loop", m_function);
    auto *after = llvm::BasicBlock::Create(m_context, "loop.end", m_function);
    // Tested at the bottom, the form the optimiser would bring it into.
    if (runsAtLeastOnce)
        m_builder.CreateBr(block);
    else
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(begin, end), block, after);
    m_builder.SetInsertPoint(block);
    llvm::PHINode *counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2);
    counter->addIncoming(begin, before);
    const llvm::DebugLoc line = m_builder.getCurrentDebugLocation();
    body(atomForm(counter, range));
    m_builder.SetCurrentDebugLocation(line);
    llvm::Value *next = m_builder.CreateNSWAdd(counter, m_builder.getInt64(1));
    counter->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, end), block, after);
    m_builder.SetInsertPoint(after);
}

void Emitter::emitSerial(const StmtNode &loop) {
    const LinearIndex extent = requireForm(loop.extent, "the trip count");
    const Interval trips = rangeOf(extent);
    LinearIndex first;
    if (loop.min && !tryForm(loop.min, first))
        throw ProgramRefused{"the first value of loop `" + std::string(loop.var->name()) +
                             "` is not linear: " + toText(loop.min)};
    llvm::Value *end = scalarOf(extent);
    emitCountedLoop(m_builder.getInt64(0), end, trips.min >= 1, Interval{0, std::max<int64_t>(trips.max - 1, 0)},
                    [&](const LinearIndex &counter) {
                        LinearIndex value = first;
                        value.add(counter);
                        m_bindings[loop.var.node()] = {value, nullptr};
                        emitStmt(loop.children[0]);
                    });
}

void Emitter::emitUnrolled(const StmtNode &loop, int64_t extent) {
    LinearIndex first;
    if (loop.min && !tryForm(loop.min, first))
        throw ProgramRefused{"the first value of loop `" + std::string(loop.var->name()) +
                             "` is not linear: " + toText(loop.min)};
    for (int64_t i = 0; i < extent; ++i) {
        LinearIndex value = first;
        value.constant += i;
        m_bindings[loop.var.node()] = {value, nullptr};
        emitStmt(loop.children[0]);
    }
}

void Emitter::emitVectorized(const StmtNode &loop, int64_t extent) {
    const int lanes = chunkLanes(loop, std::max(16, m_target.vectorBytes));
    LinearIndex first;
    if (loop.min) first = requireForm(loop.min, "the first value");
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
    const bool maskable = m_target.vectorBytes >= 32 && m_target.vectorBytes / lanes >= 4;
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

void Emitter::emitChunk(const StmtNode &loop, const LinearIndex &first, int width, int active) {
    const size_t atoms = m_atoms.size();
    LinearIndex value = first;
    if (width > 1) value.lane = 1;
    m_bindings[loop.var.node()] = {value, nullptr};
    m_lanes = {width, active, -1, nullptr, nullptr};
    if (active < width) {
        std::vector<llvm::Constant *> mask;
        for (int i = 0; i < width; ++i) mask.push_back(m_builder.getInt1(i < active));
        m_lanes.mask = m_lanes.inside = llvm::ConstantVector::get(mask);
    }
    emitStmt(loop.children[0]);
    m_lanes = {};
    m_atoms.resize(atoms);
}

void Emitter::emitParallel(const StmtNode &loop) {
    const LinearIndex extent = requireForm(loop.extent, "the trip count");
    const Interval trips = rangeOf(extent);
    llvm::Value *count = scalarOf(extent);

    // The body becomes a function of its own; every value it may need travels in an array of 8-byte slots.
    const std::vector<Atom> outerAtoms = m_atoms;
    const auto outerBindings = m_bindings;
    const auto outerStorage = m_storage;
    llvm::Value *outerRuntime = m_runtime;
    // By place in the function: the maps are in the order of addresses, which the code must not depend on.
    std::map<unsigned, std::vector<llvm::Value **>> captured;
    const auto places = placesOf(*m_function);
    const auto capture = [&](llvm::Value *&value) {
        if (llvm::isa<llvm::Constant>(value)) return;
        const auto found = places.find(value);
        LOOPSCOPE_CHECK(found != places.end(), "a parallel loop needs a value of another function");
        captured[found->second].push_back(&value);
    };
    for (Atom &atom : m_atoms) capture(atom.value);
    for (auto &[variable, binding] : m_bindings)
        if (binding.value) capture(binding.value);
    for (auto &[buffer, storage] : m_storage) capture(storage.base);
    capture(m_runtime);

    llvm::Type *slots = llvm::ArrayType::get(m_builder.getInt64Ty(), captured.size());
    llvm::Value *context = entryAlloca(slots, "captured");
    uint64_t slot = 0;
    for (const auto &[at, users] : captured)
        m_builder.CreateStore(*users.front(), m_builder.CreateConstInBoundsGEP2_64(slots, context, 0, slot++));

    auto *i64 = m_builder.getInt64Ty();
    auto *ptr = m_builder.getPtrTy();
    auto *bodyType = llvm::FunctionType::get(m_builder.getVoidTy(), {i64, i64, ptr}, false);
    const auto place = m_builder.saveIP();
    const llvm::DebugLoc line = m_builder.getCurrentDebugLocation();
    llvm::Function *outer = m_function;
    llvm::Function *body = makeFunction(bodyType, "parallel_body_" + std::to_string(m_parallelBodies++), false);
    m_function = body;
    m_insideParallel = true;
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_context, "entry", body));
    setLine(loop);
    slot = 0;
    for (const auto &[at, users] : captured) {
        llvm::Value *from = m_builder.CreateConstInBoundsGEP2_64(slots, body->getArg(2), 0, slot++);
        auto *value = m_builder.CreateLoad((*users.front())->getType(), from);
        value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_context, {}));
        for (llvm::Value **user : users) *user = value;
    }
    LinearIndex first;
    if (loop.min) first = requireForm(loop.min, "the first value");
    emitCountedLoop(body->getArg(0), body->getArg(1), false, Interval{0, std::max<int64_t>(trips.max - 1, 0)},
                    [&](const LinearIndex &counter) {
                        LinearIndex value = first;
                        value.add(counter);
                        m_bindings[loop.var.node()] = {value, nullptr};
                        emitStmt(loop.children[0]);
                    });
    m_builder.CreateRetVoid();
    m_atoms = outerAtoms;
    m_bindings = outerBindings;
    m_storage = outerStorage;
    m_runtime = outerRuntime;
    m_insideParallel = false;
    m_function = outer;
    m_builder.restoreIP(place);
    m_builder.SetCurrentDebugLocation(line);

    auto *callType = llvm::FunctionType::get(m_builder.getVoidTy(), {ptr, i64, ptr}, false);
    m_builder.CreateCall(callType, runtimeField(0), {body, count, context});
}

} // namespace loopscope
