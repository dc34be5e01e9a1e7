/* expect: states=35 transitions=76 verdict=fails plain_states=35 plain_transitions=76 */
#define N 3
bool fork[N];
active [N] proctype Phil() {
    do
    :: atomic {
            !fork[_pid] -> fork[_pid] = 1
        };
        atomic {
            !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = 1
        };
        fork[(_pid + 1) % N] = 0;
        fork[_pid] = 0
    od
}
