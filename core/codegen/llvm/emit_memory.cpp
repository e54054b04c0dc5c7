// Loads and stores: the stride between lanes decides between a vector access, a broadcast, a shuffle of two vectors and
// single elements.
#include "codegen/llvm/emitter.h"

#include "check.h"
#include "loop_ir/flat_offset.h"

namespace loopscope {

const Emitter::Storage &Emitter::storageOf(const Buffer &buffer) const {
    const auto found = m_storage.find(&buffer);
    LOOPSCOPE_CHECK(found != m_storage.end(), "buffer used outside its allocation: " + buffer.name);
    return found->second;
}

std::optional<Emitter::Address> Emitter::addressOf(const Buffer &buffer, std::span<const Expr> indices) {
    const Storage &storage = storageOf(buffer);
    LOOPSCOPE_CHECK(indices.size() == storage.strides.size(), "number of indices of " + buffer.name);
    LinearIndex flat;
    ExprArena arena;
    const ArenaScope scope(arena);
    if (const std::optional<SplitSum> merged = mergedOffset(indices, storage.strides)) {
        flat.constant = merged->constant;
        for (const SplitTerm &term : merged->all()) {
            LinearIndex form;
            if (!tryForm(digitOf(term), form)) return std::nullopt;
            flat.add(form, term.scale);
        }
    } else {
        for (size_t d = 0; d < indices.size(); ++d) {
            LinearIndex form;
            if (!tryForm(indices[d], form)) return std::nullopt;
            flat.add(form, storage.strides[d]);
        }
    }
    if (storage.laneCopies > 0) {
        flat.scale(storage.laneCopies);
        if (m_lanes.lane >= 0)
            flat.constant += m_lanes.lane;
        else
            flat.lane += 1;
    }

    // Outer loops first, then the innermost variable, then the constant: the first part is invariant in the inner loop,
    // the last is the instruction's displacement.
    bool ascending = flat.constant >= 0;
    for (const LinearIndex::Term &term : flat.terms)
        ascending = ascending && term.coefficient >= 0 && m_atoms[term.atom].range.min >= 0;
    llvm::Type *type = memoryType(buffer.dtype);
    Address address{storage.base, flat.lane};
    const auto advance = [&](const LinearIndex &by) {
        llvm::Value *offset = scalarOf(by);
        address.pointer = ascending ? m_builder.CreateInBoundsGEP(type, address.pointer, offset)
                                    : m_builder.CreateGEP(type, address.pointer, offset);
    };
    LinearIndex part;
    const size_t terms = flat.terms.size();
    if (terms > 1) {
        part.terms.assign(flat.terms.begin(), flat.terms.end() - 1);
        advance(part);
    }
    if (terms > 0) {
        part.terms.assign(flat.terms.end() - 1, flat.terms.end());
        advance(part);
    }
    if (flat.constant != 0) advance(LinearIndex::of(flat.constant));
    return address;
}

llvm::Value *Emitter::loadScalar(const Buffer &buffer, llvm::Value *pointer) {
    llvm::Type *type = memoryType(buffer.dtype);
    auto *load = m_builder.CreateAlignedLoad(type, pointer, llvm::Align(size_t(dtypeBytes(buffer.dtype))));
    annotateAccess(load, buffer);
    return fromMemory(load, buffer.dtype);
}

llvm::Value *Emitter::loadVector(const Buffer &buffer, const Address &address) {
    const int width = m_lanes.width;
    llvm::Type *scalar = memoryType(buffer.dtype);
    auto *type = llvm::FixedVectorType::get(scalar, width);
    const llvm::Align align(size_t(dtypeBytes(buffer.dtype)));
    // A register buffer's rows are padded to whole vectors, and every lane has its own copy where there are copies.
    const bool padded = buffer.scope == MemoryScope::Register || storageOf(buffer).laneCopies > 0;

    if (address.laneStride == 0) {
        llvm::Value *pointer = address.pointer;
        if (!allInside()) {
            llvm::Value *any = m_builder.CreateOrReduce(m_lanes.mask);
            pointer = m_builder.CreateSelect(any, pointer, storageOf(buffer).base);
        }
        return loadScalar(buffer, pointer);
    }
    if (address.laneStride == 1 && (!m_lanes.mask || (padded && allInside()))) {
        auto *load = m_builder.CreateAlignedLoad(type, address.pointer, align);
        annotateAccess(load, buffer);
        return fromMemory(load, buffer.dtype);
    }
    if (address.laneStride == 1) {
        auto *load =
            m_builder.CreateMaskedLoad(type, address.pointer, align, m_lanes.mask, llvm::Constant::getNullValue(type));
        annotateAccess(load, buffer);
        return fromMemory(load, buffer.dtype);
    }
    if (address.laneStride == 2 && !m_lanes.mask && width > 1) {
        // Elements 0, 2, ..., 2(w-1): from the w elements at 0 and the w elements that end with the last one.
        auto *low = m_builder.CreateAlignedLoad(type, address.pointer, align);
        auto *high = m_builder.CreateAlignedLoad(
            type, m_builder.CreateInBoundsGEP(scalar, address.pointer, m_builder.getInt64(width - 1)), align);
        annotateAccess(low, buffer);
        annotateAccess(high, buffer);
        llvm::SmallVector<int, 16> lanes;
        for (int i = 0; i < width; ++i) lanes.push_back(2 * i < width ? 2 * i : 2 * i - (width - 1) + width);
        return fromMemory(m_builder.CreateShuffleVector(low, high, lanes), buffer.dtype);
    }
    return nullptr;
}

llvm::Value *Emitter::emitLoad(Expr e) {
    const auto &buffer = *static_cast<const Buffer *>(e->symbol);
    const size_t atoms = m_atoms.size();
    const std::optional<Address> address = addressOf(buffer, e->operands());
    m_atoms.resize(atoms);
    if (m_lanes.width == 1) {
        llvm::Value *pointer = address->pointer;
        if (m_lanes.mask) pointer = m_builder.CreateSelect(m_lanes.mask, pointer, storageOf(buffer).base);
        return loadScalar(buffer, pointer);
    }
    if (address) {
        if (llvm::Value *value = loadVector(buffer, *address)) return value;
    }
    return perLane(valueType(buffer.dtype), [&] { return emitLoad(e); });
}

void Emitter::storeVector(const Buffer &buffer, const Address &address, llvm::Value *value) {
    value = toMemory(splat(value), buffer.dtype);
    const llvm::Align align(size_t(dtypeBytes(buffer.dtype)));
    const bool padded = buffer.scope == MemoryScope::Register || storageOf(buffer).laneCopies > 0;
    const bool plain = !m_lanes.mask || (padded && allInside());
    if (plain)
        annotateAccess(m_builder.CreateAlignedStore(value, address.pointer, align), buffer);
    else
        annotateAccess(m_builder.CreateMaskedStore(value, address.pointer, align, m_lanes.mask), buffer);
}

void Emitter::emitStore(const StmtNode &store) {
    const Buffer &buffer = *store.buffer;
    const size_t atoms = m_atoms.size();
    llvm::Value *value = emitValue(store.value);
    const std::optional<Address> address = addressOf(buffer, store.index());
    m_atoms.resize(atoms);
    const llvm::Align align(size_t(dtypeBytes(buffer.dtype)));
    if (m_lanes.width == 1) {
        annotateAccess(m_builder.CreateAlignedStore(toMemory(value, buffer.dtype), address->pointer, align), buffer);
        return;
    }
    if (address && address->laneStride == 1) {
        storeVector(buffer, *address, value);
        return;
    }
    value = splat(value);
    llvm::Value *memory = toMemory(value, buffer.dtype);
    if (allInside() || llvm::isa<llvm::Constant>(m_lanes.mask)) {
        const LaneState chunk = m_lanes;
        for (int lane = 0; lane < chunk.active; ++lane) {
            const auto *all = llvm::cast_or_null<llvm::Constant>(chunk.mask);
            if (all && all->getAggregateElement(unsigned(lane))->isNullValue()) continue;
            m_lanes = {1, 1, lane, nullptr, nullptr};
            const std::optional<Address> element = addressOf(buffer, store.index());
            m_lanes = chunk;
            llvm::Value *bits = m_builder.CreateExtractElement(memory, uint64_t(lane));
            annotateAccess(m_builder.CreateAlignedStore(bits, element->pointer, align), buffer);
        }
        m_atoms.resize(atoms);
        return;
    }
    llvm::Value *pointers = perLane(m_builder.getPtrTy(), [&] { return addressOf(buffer, store.index())->pointer; });
    m_atoms.resize(atoms);
    annotateAccess(m_builder.CreateMaskedScatter(memory, pointers, align, m_lanes.mask), buffer);
}

llvm::Value *Emitter::splat(llvm::Value *value) {
    if (m_lanes.width == 1 || isVector(value)) return value;
    return m_builder.CreateVectorSplat(unsigned(m_lanes.width), value);
}

void Emitter::matchShapes(llvm::Value *&a, llvm::Value *&b) {
    if (isVector(a) && !isVector(b)) b = splat(b);
    if (isVector(b) && !isVector(a)) a = splat(a);
}

llvm::Value *Emitter::laneOf(llvm::Value *value) {
    if (m_lanes.lane < 0 || !isVector(value)) return value;
    return m_builder.CreateExtractElement(value, uint64_t(m_lanes.lane));
}

llvm::Value *Emitter::andMask(llvm::Value *condition) {
    if (m_lanes.width > 1) condition = splat(condition);
    return m_lanes.mask ? m_builder.CreateAnd(m_lanes.mask, condition) : condition;
}

} // namespace loopscope
