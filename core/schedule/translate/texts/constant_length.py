
def constant_length(sch, loop):
    # What is left of a region may be longer or shorter from tile to tile: no vector, and nothing to unroll.
    extent = sch.get(loop).extent
    return isinstance(extent, tirx.IntImm) and extent.value > 1

