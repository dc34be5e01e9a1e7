/* expect: states=12 transitions=73 verdict=holds plain_states=12 plain_transitions=73 */
#define N 3
bool vote[N]; bool leader;
active [N] proctype P() { do :: atomic { vote[_pid] = true } :: atomic { (vote[0] + vote[1] + vote[2] >= 2) -> leader = true } :: atomic { leader -> leader = false; vote[0] = false; vote[1] = false; vote[2] = false } od }
