#include "codegen/llvm/memory_emitter.h"

#include "base/check.h"
#include "codegen/llvm/prefetch_plan.h"
#include "codegen/loop_ir/flat_offset.h"
#include "language/expr/walk.h"

#include <cstdlib>
#include <numeric>

namespace loopscope {

MemoryEmitter::MemoryEmitter(EmitContext &context, ModuleFrame &frame, ElementTypes &types, IndexForms &forms)
    : m_builder(context.builder), m_lanes(context.lanes), m_target(context.target), m_frame(frame), m_types(types),
      m_forms(forms) {}

void MemoryEmitter::define(const Buffer &buffer, llvm::Value *pointer) {
    Storage storage;
    storage.base = pointer;
    storage.strides.assign(buffer.strides.begin(), buffer.strides.end());
    m_storage.emplace(&buffer, storage);
}

bool MemoryEmitter::hasLaneCopies(const Buffer &buffer) const {
    const auto storage = m_storage.find(&buffer);
    return storage != m_storage.end() && storage->second.laneCopies > 0;
}

std::vector<llvm::Value **> MemoryEmitter::values() {
    std::vector<llvm::Value **> all;
    for (auto &[buffer, storage] : m_storage) all.push_back(&storage.base);
    return all;
}

const MemoryEmitter::Storage &MemoryEmitter::storageOf(const Buffer &buffer) const {
    const auto found = m_storage.find(&buffer);
    LOOPSCOPE_CHECK(found != m_storage.end(), "buffer used outside its allocation: " + buffer.name);
    return found->second;
}

void MemoryEmitter::allocate(const Buffer &buffer) {
    Storage storage;
    storage.strides.assign(buffer.strides.begin(), buffer.strides.end());
    storage.laneCopies = m_lanes.width() > 1 ? m_lanes.width() : 0;
    int64_t elements = buffer.elements();
    if (buffer.scope == MemoryScope::Register && !buffer.shape.empty() && storage.laneCopies == 0) {
        // Rows of whole vectors, so that a partial vector never touches its neighbour and the row stays in registers.
        const int64_t row = buffer.shape.back();
        const int64_t lanes = std::max(1, m_target.vectorBytes / dtypeBytes(buffer.dtype));
        int64_t padded = row;
        if (row > 2) {
            int64_t chunk = 1;
            while (chunk < lanes && chunk < row) chunk *= 2;
            padded = (row + chunk - 1) / chunk * chunk;
        }
        int64_t stride = 1;
        for (size_t d = buffer.shape.size(); d-- > 0;) {
            storage.strides[d] = stride;
            stride *= d + 1 == buffer.shape.size() ? padded : buffer.shape[d];
        }
        elements = stride;
    }
    elements *= std::max(1, storage.laneCopies);

    if (buffer.scope == MemoryScope::Heap) {
        llvm::Value *function = m_frame.runtimeField(1);
        auto *type = llvm::FunctionType::get(m_builder.getPtrTy(), {m_builder.getInt64Ty()}, false);
        auto *call = m_builder.CreateCall(type, function, {m_builder.getInt64(elements * dtypeBytes(buffer.dtype))});
        call->addRetAttr(llvm::Attribute::NoAlias);
        call->addRetAttr(llvm::Attribute::NonNull);
        call->addRetAttr(llvm::Attribute::getWithAlignment(m_builder.getContext(), llvm::Align(64)));
        storage.base = call;
    } else {
        auto *type = llvm::ArrayType::get(m_types.memoryType(buffer.dtype), uint64_t(elements));
        storage.base = m_frame.entryAlloca(type, buffer.name);
    }
    const bool fresh = m_storage.emplace(&buffer, storage).second;
    LOOPSCOPE_CHECK(fresh, "buffer allocated twice: " + buffer.name);
}

void MemoryEmitter::release(const Buffer &buffer) {
    llvm::Value *base = storageOf(buffer).base;
    m_storage.erase(&buffer);
    if (buffer.scope != MemoryScope::Heap) return;
    auto *type = llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getPtrTy()}, false);
    m_builder.CreateCall(type, m_frame.runtimeField(2), {base});
}

llvm::Align MemoryEmitter::alignmentOf(const Buffer &buffer, const LinearIndex &offset) const {
    const auto element = static_cast<uint64_t>(dtypeBytes(buffer.dtype));
    if (!m_target.isGpu()) return llvm::Align(element); // processors do not ask
    // A GPU loads a vector at once only from a multiple of its size.
    uint64_t common = 16;
    common = std::gcd(common, static_cast<uint64_t>(std::abs(offset.constant)) * element);
    for (const LinearIndex::Term &term : offset.terms)
        common = std::gcd(common, static_cast<uint64_t>(std::abs(term.coefficient)) * element);
    return llvm::Align(common);
}

std::optional<MemoryEmitter::Address> MemoryEmitter::addressOf(const Buffer &buffer, std::span<const Expr> indices) {
    const std::optional<LinearIndex> flat = flatIndex(buffer, indices);
    return flat ? std::optional(addressAt(buffer, *flat)) : std::nullopt;
}

std::optional<LinearIndex> MemoryEmitter::flatIndex(const Buffer &buffer, std::span<const Expr> indices) {
    const Storage &storage = storageOf(buffer);
    LOOPSCOPE_CHECK(indices.size() == storage.strides.size(), "number of indices of " + buffer.name);
    LinearIndex flat;
    ExprArena arena;
    const ArenaScope scope(arena);
    if (const std::optional<SplitSum> merged = mergedOffset(indices, storage.strides)) {
        flat.constant = merged->constant;
        for (const SplitTerm &term : merged->all()) {
            LinearIndex form;
            if (!m_forms.tryForm(digitOf(term), form)) return std::nullopt;
            flat.add(form, term.scale);
        }
    } else {
        for (size_t d = 0; d < indices.size(); ++d) {
            LinearIndex form;
            if (!m_forms.tryForm(indices[d], form)) return std::nullopt;
            flat.add(form, storage.strides[d]);
        }
    }
    if (storage.laneCopies > 0) {
        flat.scale(storage.laneCopies);
        if (m_lanes.lane() >= 0)
            flat.constant += m_lanes.lane();
        else
            flat.lane += 1;
    }
    return flat;
}

MemoryEmitter::Address MemoryEmitter::addressAt(const Buffer &buffer, const LinearIndex &flat) {
    // Outer loops first, then the innermost variable, then the constant: the first part is invariant in the inner loop,
    // the last is the instruction's displacement.
    const bool ascending = m_forms.ascends(flat);
    llvm::Type *type = m_types.memoryType(buffer.dtype);
    Address address{storageOf(buffer).base, flat.lane, alignmentOf(buffer, flat)};
    const auto advance = [&](const LinearIndex &by) {
        llvm::Value *offset = m_forms.scalarOf(by);
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

void MemoryEmitter::prefetch(const Buffer &buffer, std::span<const Expr> indices, int lines) {
    const std::optional<Address> address = addressOf(buffer, indices);
    if (!address) return;
    for (int line = 0; line < lines; ++line) {
        llvm::Value *at = m_builder.CreateGEP(m_builder.getInt8Ty(), address->pointer,
                                              m_builder.getInt64(kPrefetchAhead + line * kCacheLineBytes));
        // To be read, into all caches, as data.
        m_builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {at->getType()},
                                  {at, m_builder.getInt32(0), m_builder.getInt32(3), m_builder.getInt32(1)});
    }
}

std::optional<int64_t> MemoryEmitter::laneStride(const Buffer &buffer, std::span<const Expr> indices) {
    const IndexForms::Scope scope(m_forms);
    const std::optional<Address> address = addressOf(buffer, indices);
    return address ? std::optional(address->laneStride) : std::nullopt;
}

llvm::Value *MemoryEmitter::loadScalar(const Buffer &buffer, llvm::Value *pointer) {
    llvm::Type *type = m_types.memoryType(buffer.dtype);
    auto *load = m_builder.CreateAlignedLoad(type, pointer, llvm::Align(size_t(dtypeBytes(buffer.dtype))));
    m_frame.annotateAccess(load, buffer);
    return m_types.fromMemory(load, buffer.dtype);
}

llvm::Value *MemoryEmitter::loadVector(const Buffer &buffer, const Address &address) {
    const int width = m_lanes.width();
    llvm::Type *scalar = m_types.memoryType(buffer.dtype);
    auto *type = llvm::FixedVectorType::get(scalar, width);
    const llvm::Align align = address.alignment;
    // A register buffer's rows are padded to whole vectors, and every lane has its own copy where there are copies.
    const bool padded = buffer.scope == MemoryScope::Register || storageOf(buffer).laneCopies > 0;

    if (address.laneStride == 0) {
        llvm::Value *pointer = address.pointer;
        if (!m_lanes.allInside()) {
            llvm::Value *any = m_builder.CreateOrReduce(m_lanes.mask());
            pointer = m_builder.CreateSelect(any, pointer, storageOf(buffer).base);
        }
        return loadScalar(buffer, pointer);
    }
    if (address.laneStride == 1 && (!m_lanes.mask() || (padded && m_lanes.allInside()))) {
        auto *load = m_builder.CreateAlignedLoad(type, address.pointer, align);
        m_frame.annotateAccess(load, buffer);
        return m_types.fromMemory(load, buffer.dtype);
    }
    if (address.laneStride == 1) {
        auto *load = m_builder.CreateMaskedLoad(type, address.pointer, align, m_lanes.mask(),
                                                llvm::Constant::getNullValue(type));
        m_frame.annotateAccess(load, buffer);
        return m_types.fromMemory(load, buffer.dtype);
    }
    if (address.laneStride == 2 && !m_lanes.mask() && width > 1) {
        // Elements 0, 2, ..., 2(w-1): from the w elements at 0 and the w elements that end with the last one.
        auto *low = m_builder.CreateAlignedLoad(type, address.pointer, align);
        auto *high = m_builder.CreateAlignedLoad(
            type, m_builder.CreateInBoundsGEP(scalar, address.pointer, m_builder.getInt64(width - 1)), align);
        m_frame.annotateAccess(low, buffer);
        m_frame.annotateAccess(high, buffer);
        llvm::SmallVector<int, 16> lanes;
        for (int i = 0; i < width; ++i) lanes.push_back(2 * i < width ? 2 * i : 2 * i - (width - 1) + width);
        return m_types.fromMemory(m_builder.CreateShuffleVector(low, high, lanes), buffer.dtype);
    }
    return nullptr;
}

std::vector<int> MemoryEmitter::lanesThatAct() const {
    const auto *mask = llvm::cast_or_null<llvm::Constant>(m_lanes.mask());
    std::vector<int> lanes;
    for (int lane = 0; lane < m_lanes.active(); ++lane)
        if (!mask || !mask->getAggregateElement(unsigned(lane))->isNullValue()) lanes.push_back(lane);
    return lanes;
}

llvm::Value *MemoryEmitter::loadPicked(Expr e) {
    const auto &buffer = *static_cast<const Buffer *>(e->symbol);
    const bool known = !m_lanes.mask() || llvm::isa<llvm::Constant>(m_lanes.mask());
    if (!known || m_target.isGpu()) return nullptr;
    ExprArena arena;
    const ArenaScope scope(arena);
    const IndexForms::Scope forms(m_forms);
    std::vector<Expr> indices;
    std::vector<Expr> bound;
    for (const Expr index : e->operands()) indices.push_back(m_forms.bindShared(index, bound));
    llvm::Value *value = loadPicked(buffer, indices);
    for (const Expr variable : bound) m_forms.unbind(variable);
    return value;
}

llvm::Value *MemoryEmitter::loadPicked(const Buffer &buffer, std::span<const Expr> indices) {
    const std::vector<int> acting = lanesThatAct();
    llvm::SmallVector<LinearIndex, 16> places;
    size_t first = 0;
    size_t last = 0;
    for (const int lane : acting) {
        const Lanes::Scope scope = m_lanes.single(lane);
        std::optional<LinearIndex> place = flatIndex(buffer, indices);
        if (!place || (!places.empty() && !place->sameTerms(places.front()))) return nullptr;
        places.push_back(std::move(*place));
        if (places.back().constant < places[first].constant) first = places.size() - 1;
        if (places.back().constant > places[last].constant) last = places.size() - 1;
    }
    if (places.empty()) return nullptr;
    const int64_t elements = places[last].constant - places[first].constant + 1;
    constexpr int64_t most = 4; // elements for each that is asked for
    if (elements > most * static_cast<int64_t>(places.size())) return nullptr;
    llvm::SmallVector<int, 16> lanes(size_t(m_lanes.width()), 0); // of those that do not act any element will do
    for (size_t i = 0; i < acting.size(); ++i)
        lanes[size_t(acting[i])] = static_cast<int>(places[i].constant - places[first].constant);
    const Address address = addressAt(buffer, places[first]);
    auto *type = llvm::FixedVectorType::get(m_types.memoryType(buffer.dtype), unsigned(elements));
    auto *all = m_builder.CreateAlignedLoad(type, address.pointer, address.alignment);
    m_frame.annotateAccess(all, buffer);
    return m_types.fromMemory(m_builder.CreateShuffleVector(all, lanes), buffer.dtype);
}

llvm::Value *MemoryEmitter::load(Expr e) {
    const auto &buffer = *static_cast<const Buffer *>(e->symbol);
    std::optional<Address> address;
    {
        const IndexForms::Scope scope(m_forms);
        address = addressOf(buffer, e->operands());
    }
    if (m_lanes.width() == 1) {
        llvm::Value *pointer = address->pointer;
        if (m_lanes.mask()) pointer = m_builder.CreateSelect(m_lanes.mask(), pointer, storageOf(buffer).base);
        return loadScalar(buffer, pointer);
    }
    if (address) {
        if (llvm::Value *value = loadVector(buffer, *address)) return value;
    }
    if (llvm::Value *value = loadPicked(e)) return value;
    return gather(e);
}

llvm::Value *MemoryEmitter::gather(Expr e) {
    const auto &buffer = *static_cast<const Buffer *>(e->symbol);
    ExprArena arena;
    const ArenaScope scope(arena);
    const IndexForms::Scope forms(m_forms);
    // Places that are loaded themselves are computed for all lanes at once.
    std::vector<Expr> indices(e->operands().begin(), e->operands().end());
    std::vector<Expr> bound;
    for (Expr &index : indices) {
        if (!containsLoad(index)) continue;
        bound.push_back(makeVar("place", index->dtype));
        m_forms.bindTo(bound.back(), index);
        index = bound.back();
    }
    const Expr lane = bound.empty() ? e : withOperands(e, indices);
    llvm::Value *value = m_lanes.perLane(m_types.valueType(buffer.dtype), [&] { return load(lane); });
    for (const Expr variable : bound) m_forms.unbind(variable);
    return value;
}

void MemoryEmitter::storeVector(const Buffer &buffer, const Address &address, llvm::Value *value) {
    value = m_types.toMemory(m_lanes.splat(value), buffer.dtype);
    const llvm::Align align = address.alignment;
    const bool padded = buffer.scope == MemoryScope::Register || storageOf(buffer).laneCopies > 0;
    const bool plain = !m_lanes.mask() || (padded && m_lanes.allInside());
    if (plain)
        m_frame.annotateAccess(m_builder.CreateAlignedStore(value, address.pointer, align), buffer);
    else
        m_frame.annotateAccess(m_builder.CreateMaskedStore(value, address.pointer, align, m_lanes.mask()), buffer);
}

void MemoryEmitter::storeLanes(const Buffer &buffer, std::span<const Expr> indices, llvm::Value *value) {
    const llvm::Align align(size_t(dtypeBytes(buffer.dtype)));
    value = m_lanes.splat(value);
    llvm::Value *memory = m_types.toMemory(value, buffer.dtype);
    if (!m_lanes.allInside() && !llvm::isa<llvm::Constant>(m_lanes.mask())) {
        llvm::Value *pointers =
            m_lanes.perLane(storageOf(buffer).base->getType(), [&] { return addressOf(buffer, indices)->pointer; });
        m_frame.annotateAccess(m_builder.CreateMaskedScatter(memory, pointers, align, m_lanes.mask()), buffer);
        return;
    }
    const auto *all = llvm::cast_or_null<llvm::Constant>(m_lanes.mask());
    for (int lane = 0; lane < m_lanes.active(); ++lane) {
        if (all && all->getAggregateElement(unsigned(lane))->isNullValue()) continue;
        std::optional<Address> element;
        {
            const Lanes::Scope scope = m_lanes.single(lane);
            element = addressOf(buffer, indices);
        }
        llvm::Value *bits = m_builder.CreateExtractElement(memory, uint64_t(lane));
        m_frame.annotateAccess(m_builder.CreateAlignedStore(bits, element->pointer, align), buffer);
    }
}

void MemoryEmitter::store(const Buffer &buffer, std::span<const Expr> indices, llvm::Value *value) {
    const IndexForms::Scope scope(m_forms);
    const std::optional<Address> address = addressOf(buffer, indices);
    if (m_lanes.width() == 1) {
        const llvm::Align align(size_t(dtypeBytes(buffer.dtype)));
        m_frame.annotateAccess(
            m_builder.CreateAlignedStore(m_types.toMemory(value, buffer.dtype), address->pointer, align), buffer);
    } else if (address && address->laneStride == 1) {
        storeVector(buffer, *address, value);
    } else {
        storeLanes(buffer, indices, value);
    }
}

} // namespace loopscope
