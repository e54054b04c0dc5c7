
def start_sum(sch, block, loop):
    # The first value of a sum in front of the first loop over its terms. Where TensorIR does not see that the loop's
    # bindings are affine, every term asks whether it is the first: slower, and the same answer.
    try:
        sch.decompose_reduction(block, loop)
    except ScheduleError:
        print(f"{sch.get(block).name_hint}: the sum starts inside its loops", file=sys.stderr)

