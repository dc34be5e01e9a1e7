/* expect: states=5 transitions=13 verdict=holds plain_states=5 plain_transitions=13 */
#define NOBODY 255
#define BROKEN 254
byte owner = NOBODY;
active [3] proctype P() { do
  :: atomic { owner == NOBODY -> owner = _pid } :: atomic { owner == _pid -> owner = NOBODY } :: atomic { owner == _pid -> owner = BROKEN } :: atomic { owner == BROKEN -> owner = NOBODY } od }
