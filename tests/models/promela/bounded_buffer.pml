/* expect: states=21 transitions=29 verdict=holds plain_states=77 plain_transitions=129 */
#define SIZE 2
byte buf[SIZE];
byte in, out, n;
active proctype Prod() {
    byte v = 1;
    do
    :: atomic {
            n < SIZE -> buf[in] = v;
            in = (in + 1) % SIZE;
            n++
        };
        v = (v % 3) + 1
    od
}
active proctype Cons() {
    byte x;
    do
    :: atomic {
            n > 0 -> x = buf[out];
            buf[out] = 0;
            out = (out + 1) % SIZE;
            n--
        };
        assert(x > 0)
    od
}
