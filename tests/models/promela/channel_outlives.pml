/* expect: states=8 transitions=8 verdict=holds plain_states=8 plain_transitions=8 */
chan g = [1] of { chan };
active proctype P() { chan c = [1] of { byte }; c!7; g!c }
active proctype Q() { chan d; byte x; g?d; d?x; assert(x == 7) }
