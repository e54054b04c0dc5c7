#pragma once
// Where buffers are, and loads and stores: the stride between lanes decides between a vector access, a broadcast, a
// shuffle of two vectors and single elements. Internal to codegen.

#include "codegen/llvm/element_types.h"
#include "codegen/llvm/emit_context.h"
#include "codegen/llvm/index_forms.h"
#include "codegen/llvm/module_frame.h"

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace loopscope {

class MemoryEmitter {
    struct Storage {
        llvm::Value *base = nullptr;
        llvm::SmallVector<int64_t, 6> strides;
        int laneCopies = 0; // allocated inside a vectorized loop: one copy per lane, lanes adjacent; 0 = shared
    };
    /// Where an access goes: the address in lane 0 and the elements from lane to lane.
    struct Address {
        llvm::Value *pointer = nullptr;
        int64_t laneStride = 0;
        llvm::Align alignment; // of lane 0, as far as it is made use of
    };

  public:
    MemoryEmitter(EmitContext &context, ModuleFrame &frame, ElementTypes &types, IndexForms &forms);

    /// Memory of the caller.
    void define(const Buffer &buffer, llvm::Value *pointer);
    /// Undoes define.
    void forget(const Buffer &buffer) { m_storage.erase(&buffer); }
    /// From here to `release` the buffer has memory; padded and copied per lane as its scope asks.
    void allocate(const Buffer &buffer);
    void release(const Buffer &buffer);
    [[nodiscard]] bool hasLaneCopies(const Buffer &buffer) const;

    llvm::Value *load(Expr e);
    void store(const Buffer &buffer, std::span<const Expr> indices, llvm::Value *value);
    /// Asks for so many lines of cache, kPrefetchAhead behind the element, which may lie beyond the buffer.
    void prefetch(const Buffer &buffer, std::span<const Expr> indices, int lines);
    /// Elements from lane to lane; nothing where that is no constant.
    [[nodiscard]] std::optional<int64_t> laneStride(const Buffer &buffer, std::span<const Expr> indices);

    /// Where everything is; for code that goes into another function meanwhile.
    using Known = std::unordered_map<const Buffer *, Storage>;
    [[nodiscard]] const Known &known() const { return m_storage; }
    void restore(Known outer) { m_storage = std::move(outer); }
    /// Every place that holds a value of the function, to be replaced by another function's.
    [[nodiscard]] std::vector<llvm::Value **> values();

  private:
    [[nodiscard]] const Storage &storageOf(const Buffer &buffer) const;
    [[nodiscard]] llvm::Align alignmentOf(const Buffer &buffer, const LinearIndex &offset) const;
    /// Nothing: lanes differ in more than a constant step.
    std::optional<Address> addressOf(const Buffer &buffer, std::span<const Expr> indices);
    /// The element among all of the buffer.
    std::optional<LinearIndex> flatIndex(const Buffer &buffer, std::span<const Expr> indices);
    Address addressAt(const Buffer &buffer, const LinearIndex &flat);
    /// Where all lanes' elements lie close together: one load of all between them, out of which they are picked, as
    /// f[x / 2] of neighbouring x. Null where they do not.
    llvm::Value *loadPicked(Expr e);
    llvm::Value *loadPicked(const Buffer &buffer, std::span<const Expr> indices);
    /// Of a chunk whose mask is known now.
    [[nodiscard]] std::vector<int> lanesThatAct() const;
    llvm::Value *gather(Expr e);
    llvm::Value *loadVector(const Buffer &buffer, const Address &address);
    llvm::Value *loadScalar(const Buffer &buffer, llvm::Value *pointer);
    void storeVector(const Buffer &buffer, const Address &address, llvm::Value *value);
    void storeLanes(const Buffer &buffer, std::span<const Expr> indices, llvm::Value *value);

    llvm::IRBuilder<> &m_builder;
    Lanes &m_lanes;
    const Target &m_target;
    ModuleFrame &m_frame;
    ElementTypes &m_types;
    IndexForms &m_forms;
    Known m_storage;
};

} // namespace loopscope
