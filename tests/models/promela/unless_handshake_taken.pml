/* expect: states=4 transitions=4 verdict=holds plain_states=4 plain_transitions=4 */
chan z = [0] of { byte };

active proctype receiver() {
    byte l;
    { z?l -> assert(false) } unless { z?1 }
}

active proctype sender() { z!1 }
