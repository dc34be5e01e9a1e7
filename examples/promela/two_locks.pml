/* Two processes take two locks in opposite orders: both may end up waiting.  The trace shows how.
 */
/* expect: verdict=fails */
bool taken[2];

proctype worker(byte first; byte second) {
    do
    :: atomic { !taken[first] -> taken[first] = true };
       atomic { !taken[second] -> taken[second] = true };
       taken[second] = false;
       taken[first] = false
    od
}

init {
    atomic { run worker(0, 1); run worker(1, 0) }
}
