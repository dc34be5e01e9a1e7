// expect: states=23256 transitions=71006 orbits=3902 verdict=holds
// Three clients and a mailer.
byte ready;
chan box1 = [1] of { pid, pid };
chan box2 = [1] of { pid, pid };
chan box3 = [1] of { pid, pid };
chan nowhere = [0] of { pid, pid };
chan network = [2] of { pid, pid };

proctype client(chan inbox) {
  pid from, to;
  chan outbox;
  d_step { outbox = network; ready++ };
idle: atomic { (ready == 3 && (nempty(inbox) || nfull(outbox)));
    if
    :: nempty(inbox) -> goto read
    :: empty(inbox) && nfull(outbox) -> goto write
    fi;
read: inbox?from,to;
    assert(to == _pid);
    from = 0;
    to = 0;
    goto idle;
write: if
    :: to = 1
    :: to = 2
    :: to = 3
    fi;
    d_step { from = _pid; outbox!from,to; from = 0; to = 0 };
    goto idle
  }
}

proctype mailer() {
  pid from, to;
  chan target = nowhere;
again: atomic { network?from,to;
    if
    :: to == 1 -> target = box1
    :: to == 2 -> target = box2
    :: to == 3 -> target = box3
    fi
  };
  atomic { target!from,to; target = nowhere; from = 0; to = 0; goto again }
}

init {
  atomic {
    run client(box1);
    run client(box2);
    run client(box3);
    run mailer();
  }
}
