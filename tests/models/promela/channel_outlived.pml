/* expect: states=11 transitions=13 verdict=fails plain_states=11 plain_transitions=13 */
chan g = [1] of { chan };
active proctype Q() { chan d; byte x; g?d; d?x; assert(x == 7) }
active proctype P() { chan c = [1] of { byte }; c!7; g!c }
