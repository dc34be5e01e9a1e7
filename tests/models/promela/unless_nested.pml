/* expect: states=26 transitions=41 verdict=holds plain_states=46 plain_transitions=70 */
byte x;
bool a, b;
active proctype P() {
    {
        {
            x = 1;
            x = 2;
            x = 3
        } unless { a -> x = 10 };
        x = 4
    } unless { b -> x = 20 }
}
active proctype E() {
    a = true;
    b = true
}
