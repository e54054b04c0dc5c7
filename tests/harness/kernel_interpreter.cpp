#include "harness/kernel_interpreter.h"

#include "loop_ir/walk.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>

namespace loopscope {

namespace {

using Failure = EvaluationFailure;

bool isBlockLoop(Stmt stmt) {
    return stmt->kind == StmtKind::For && stmt->loop >= LoopKind::BlockX && stmt->loop <= LoopKind::BlockZ;
}
constexpr size_t kWarp = 32;

/// The shuffles of a store, which all threads of a warp come to together.
std::vector<Expr> shufflesIn(Stmt store) {
    std::vector<Expr> found;
    forEachOwnExpr(store, [&](Expr own) {
        postOrder(own, [&](Expr e) {
            if (e->kind == ExprKind::Call && e->intrinsic == Intrinsic::ShuffleXor) found.push_back(e);
        });
    });
    return found;
}

bool isThreadLoop(Stmt stmt) {
    return stmt->kind == StmtKind::For && stmt->loop >= LoopKind::ThreadX && stmt->loop <= LoopKind::ThreadZ;
}

/// When: what accesses may meet.
struct Span {
    int64_t phase = 0;  // from barrier to barrier; never the same number twice
    int64_t kernel = 0; // likewise
};

void noteRead(AccessTrace &trace, int64_t now, int who, const std::string &what) {
    if (trace.writtenIn == now && trace.writer != who)
        throw Failure("an element of " + what + " is read while another one writes it");
    trace.reader = trace.readIn == now && trace.reader != who ? -2 : who;
    trace.readIn = now;
}

void noteWrite(AccessTrace &trace, int64_t now, int who, const std::string &what) {
    if ((trace.writtenIn == now && trace.writer != who) || (trace.readIn == now && trace.reader != who))
        throw Failure("an element of " + what + " is written while another one reads or writes it");
    trace.writtenIn = now;
    trace.writer = who;
}

AccessTrace &traceOf(std::vector<AccessTrace> &traces, const BufferMemory &memory, size_t at) {
    if (traces.empty()) traces.resize(memory.elements.size());
    return traces[at];
}

/// One thread of a block: a walk that can stop at a barrier and go on.
class Thread : public ProgramEvaluator {
  public:
    Thread(ProgramMemory &global, ProgramMemory &shared, const Span &now, int block, int number)
        : m_global(global), m_shared(shared), m_now(now), m_block(block), m_number(number) {}

    void set(Expr var, int64_t value) { m_vars[var.node()] = ofInt(value); }
    void begin(Stmt body) { m_frames = {{body}}; }
    /// What it has to hand to others, and what another one handed to it.
    Scalar offer(Expr shuffle) { return eval(shuffle->arg(0)); }
    void receive(Expr shuffle, Scalar value) { m_received[shuffle.node()] = value; }

    /// Runs to the next barrier or store with shuffles; null when it came to its end.
    const StmtNode *advance() {
        while (!m_frames.empty()) {
            Frame &frame = m_frames.back();
            const Stmt stmt = frame.stmt;
            const int64_t step = frame.step++;
            Stmt inside;
            switch (stmt->kind) {
            case StmtKind::Block:
                if (step < static_cast<int64_t>(stmt->childCount)) inside = stmt->children[step];
                break;
            case StmtKind::For:
                if (step == 0) {
                    if (isBlockLoop(stmt) || isThreadLoop(stmt)) throw Failure("a thread begins threads or blocks");
                    frame.min = stmt->min ? eval(stmt->min).i : 0;
                    frame.extent = eval(stmt->extent).i;
                }
                if (step < frame.extent) {
                    set(stmt->var, frame.min + step);
                    inside = stmt->children[0];
                }
                break;
            case StmtKind::If:
                if (step > 0) break;
                if (eval(stmt->value).i != 0)
                    inside = stmt->children[0];
                else if (stmt->childCount > 1)
                    inside = stmt->children[1];
                break;
            case StmtKind::Let:
                if (step > 0) break;
                m_vars[stmt->var.node()] = eval(stmt->value);
                inside = stmt->children[0];
                break;
            case StmtKind::Allocate:
                if (step > 0) break;
                if (stmt->buffer->scope != MemoryScope::Local)
                    throw Failure("a thread allocates " + stmt->buffer->name);
                m_local.allocate(*stmt->buffer);
                inside = stmt->children[0];
                break;
            case StmtKind::Store:
                if (m_received.empty() && !shufflesIn(stmt).empty()) {
                    --frame.step;
                    return stmt.node();
                }
                store(stmt);
                m_received.clear();
                break;
            case StmtKind::Barrier:
                m_frames.pop_back();
                return stmt.node();
            }
            if (inside)
                m_frames.push_back({inside});
            else
                m_frames.pop_back();
        }
        return nullptr;
    }

  private:
    struct Frame {
        Stmt stmt;
        int64_t step = 0;
        int64_t min = 0;
        int64_t extent = 0;
    };

    Scalar shuffle(Expr e) override {
        const auto found = m_received.find(e.node());
        if (found == m_received.end()) throw Failure("a shuffle that is no part of a store");
        return found->second;
    }

    BufferMemory &memoryOf(const TensorSymbol *symbol) override {
        for (ProgramMemory *memory : {&m_local, &m_shared, &m_global})
            if (BufferMemory *found = memory->find(symbol)) return *found;
        throw Failure("access to " + symbol->name + ", which has no memory");
    }
    void onRead(BufferMemory &memory, size_t at) override { note(memory, at, noteRead); }
    void onWrite(BufferMemory &memory, size_t at) override { note(memory, at, noteWrite); }

    template <typename Note> void note(BufferMemory &memory, size_t at, const Note &note) {
        const std::string &name = memory.buffer->name;
        if (memory.buffer->scope == MemoryScope::Local) return;
        note(traceOf(memory.byThread, memory, at), m_now.phase, m_number, name);
        if (memory.buffer->scope != MemoryScope::Shared)
            note(traceOf(memory.byBlock, memory, at), m_now.kernel, m_block, name);
    }

    ProgramMemory m_local;
    ProgramMemory &m_global;
    ProgramMemory &m_shared;
    const Span &m_now;
    int m_block;
    int m_number;
    std::vector<Frame> m_frames;
    std::unordered_map<const ExprNode *, Scalar> m_received; // by the shuffles of the next store
};

class KernelMachine : public ScalarEvaluator {
  public:
    ProgramMemory memory;
    int64_t stores = 0;

    /// Outside of kernels: storage, and kernels one after the other.
    void run(Stmt stmt) {
        switch (stmt->kind) {
        case StmtKind::Block:
            for (const Stmt child : stmt->body()) run(child);
            return;
        case StmtKind::Allocate:
            if (stmt->buffer->scope != MemoryScope::Heap)
                throw Failure(stmt->buffer->name + " is allocated outside of kernels");
            memory.allocate(*stmt->buffer);
            return run(stmt->children[0]);
        default:
            if (!isBlockLoop(stmt)) throw Failure("a statement that no kernel holds");
            ++m_now.kernel;
            m_block = 0;
            m_numbers.clear();
            return blocks(stmt);
        }
    }

  private:
    using Numbers = std::vector<std::pair<Expr, int64_t>>;

    Scalar load(Expr) override { throw Failure("a launch that depends on data"); }

    void blocks(Stmt loop) {
        for (int64_t i = 0; i < eval(loop->extent).i; ++i) {
            m_numbers.emplace_back(loop->var, i);
            if (isBlockLoop(loop->children[0]))
                blocks(loop->children[0]);
            else
                block(loop->children[0]);
            m_numbers.pop_back();
        }
    }

    void block(Stmt stmt) {
        ProgramMemory shared;
        ++m_block;
        for (; stmt->kind == StmtKind::Allocate; stmt = stmt->children[0]) {
            if (stmt->buffer->scope != MemoryScope::Shared) throw Failure("a block allocates " + stmt->buffer->name);
            shared.allocate(*stmt->buffer);
        }
        if (!isThreadLoop(stmt)) throw Failure("a block without threads");
        std::vector<std::unique_ptr<Thread>> threads;
        addThreads(stmt, shared, threads);
        for (bool forward = true;; forward = !forward) {
            ++m_now.phase;
            const StmtNode *barrier = nullptr;
            const size_t warps = (threads.size() + kWarp - 1) / kWarp;
            for (size_t w = 0; w < warps; ++w) {
                const size_t first = (forward ? w : warps - 1 - w) * kWarp;
                const StmtNode *at =
                    warp(std::span(threads).subspan(first, std::min(kWarp, threads.size() - first)), forward);
                if (w > 0 && at != barrier) throw Failure("threads of one block come to different barriers");
                barrier = at;
            }
            if (barrier == nullptr) break;
        }
        for (const auto &thread : threads) stores += thread->stores;
    }

    /// The threads of a warp to the next barrier that they come to, handing each other values on the way.
    static const StmtNode *warp(std::span<const std::unique_ptr<Thread>> threads, bool forward) {
        for (;;) {
            const StmtNode *stop = nullptr;
            for (size_t i = 0; i < threads.size(); ++i) {
                const StmtNode *at = threads[forward ? i : threads.size() - 1 - i]->advance();
                if (i > 0 && at != stop)
                    throw Failure("threads of one block come to different barriers or shuffles of one warp");
                stop = at;
            }
            if (stop == nullptr || stop->kind == StmtKind::Barrier) return stop;
            for (const Expr shuffle : shufflesIn(Stmt(stop))) {
                std::vector<Scalar> offered;
                for (const auto &thread : threads) offered.push_back(thread->offer(shuffle));
                for (size_t lane = 0; lane < threads.size(); ++lane) {
                    const size_t from = lane ^ static_cast<size_t>(shuffle->arg(1)->intValue);
                    if (from >= threads.size()) throw Failure("a shuffle takes from a lane without a thread");
                    threads[lane]->receive(shuffle, offered[from]);
                }
            }
        }
    }

    void addThreads(Stmt loop, ProgramMemory &shared, std::vector<std::unique_ptr<Thread>> &threads) {
        for (int64_t i = 0; i < eval(loop->extent).i; ++i) {
            m_numbers.emplace_back(loop->var, i);
            if (isThreadLoop(loop->children[0])) {
                addThreads(loop->children[0], shared, threads);
            } else {
                auto thread =
                    std::make_unique<Thread>(memory, shared, m_now, m_block, static_cast<int>(threads.size()));
                for (const auto &[var, value] : m_numbers) thread->set(var, value);
                thread->begin(loop->children[0]);
                threads.push_back(std::move(thread));
            }
            m_numbers.pop_back();
        }
    }

    Span m_now;
    int m_block = 0;
    Numbers m_numbers; // of the blocks and threads around
};

} // namespace

ProgramRun runKernels(const LoopProgram &program, const std::vector<TensorValue> &inputs) {
    KernelMachine machine;
    return runOn(machine, program, inputs);
}

} // namespace loopscope
