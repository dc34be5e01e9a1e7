/* expect: states=13 transitions=19 verdict=holds plain_states=13 plain_transitions=19 */
#include "shared_defs.inc"
active [COUNT] proctype P() {
    shared = shared + 1;
    assert(shared <= COUNT)
}
