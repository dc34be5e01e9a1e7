/* expect: states=9 transitions=9 verdict=holds plain_states=9 plain_transitions=9 */
bit a = 1;
bool b;
byte c = 255;
pid d = 2;
short e = -1;
int f = 100000;
unsigned g : 4 = 9;
mtype = { x1 };
mtype h = x1;
active proctype P() {
    f = f * 3;
    assert(f == 300000);
    e = e - f % 7;
    c = c + g;
    d = _pid;
    a = a + b;
    assert(h == x1)
}
