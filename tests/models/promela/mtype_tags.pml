/* expect: states=6 transitions=8 verdict=holds plain_states=6 plain_transitions=8 */
mtype = { alice, bob, free };
mtype lock = free;
proctype user(mtype me) { do :: atomic { lock == free -> lock = me }; assert(lock == me); lock = free od }
init { atomic { run user(alice); run user(bob) } }
