/* expect: verdict=fails */
chan q = [1] of { byte, byte };
byte z;
active proctype S() {
    q!3,4;
    q!5,6
}
active proctype R() {
    byte x;
    q?x;
    z = x;
    q?x;
    z = z + x
}
