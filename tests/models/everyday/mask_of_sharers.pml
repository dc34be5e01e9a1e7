/* expect: states=431 own_states=431 own_orbits=97 own_structure=S3 verdict=holds */
#define N 3
byte sharers; byte owner = 255;
active [N] proctype cache() {
  do
  :: owner == 255 && (sharers & (1 << _pid)) == 0 -> sharers = sharers | (1 << _pid)
  :: (sharers & (1 << _pid)) != 0 -> sharers = sharers & ~(1 << _pid)
  :: owner == 255 && sharers == 0 -> owner = _pid
  :: owner == _pid -> owner = 255
  od
}
