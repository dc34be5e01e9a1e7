/* expect: states=34 transitions=51 verdict=holds plain_states=34 plain_transitions=51 */
bit flag[3]; byte holder = 255;
proctype user(byte me) { do :: atomic { holder == 255 -> holder = me } :: atomic { holder == me -> holder = 255; flag[me] = 1-flag[me] } od }
proctype parent() { atomic { run user(0); run user(1); run user(2) } }
init { run parent() }
