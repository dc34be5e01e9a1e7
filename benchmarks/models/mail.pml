/* Clients send mail through one channel to a mailer: the twin of systems.mail(N, CAPACITY), given as -DN=3 -DCAPACITY=3.
 * Clients are numbered from 1; 0 is nobody. */
chan queue = [CAPACITY] of { byte, byte };
byte chosen[N + 1], box[N + 1];

active [N] proctype client() {
  do
  :: d_step { chosen[_pid + 1] == 0 && _pid != 0; chosen[_pid + 1] = 1 }
  :: d_step { chosen[_pid + 1] == 0 && _pid != 1; chosen[_pid + 1] = 2 }
  :: d_step { chosen[_pid + 1] == 0 && _pid != 2; chosen[_pid + 1] = 3 }
  :: d_step { chosen[_pid + 1] != 0 && nfull(queue); queue ! _pid + 1, chosen[_pid + 1]; chosen[_pid + 1] = 0 }
  :: d_step { box[_pid + 1] != 0; box[_pid + 1] = 0 }
  od
}

active proctype mailer() {
  byte source, target;
  do
  :: queue ? source, target;
     d_step { box[target] == 0; box[target] = source; source = 0; target = 0 }
  od
}
