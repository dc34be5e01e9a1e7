/* expect: states=2098 own_states=1890 own_orbits=374 own_structure=S3 verdict=holds */
/* clients with mailboxes lent by init, which they show to the server */
mtype = { req, ack };
chan server = [2] of { mtype, chan };
byte served;
proctype client(chan box) {
  do
  :: served < 6 -> server!req(box); box?ack
  :: else -> break
  od
}
proctype srv() {
  chan back;
  do
  :: server?req(back) -> atomic { served++; back!ack }
  :: timeout -> break
  od
}
init {
  chan a = [1] of { mtype }; chan b = [1] of { mtype }; chan c = [1] of { mtype };
  atomic { run srv(); run client(a); run client(b); run client(c) }
}
