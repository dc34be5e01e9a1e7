/* expect: verdict=fails */
byte a[3];
byte i;
active proctype P() {
    do
    :: i < 5 -> a[i] = i;
        i++
    :: else -> break
    od
}
