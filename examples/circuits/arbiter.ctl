# Two requests are never granted at once.
AG two=0;
AG (busy=1 -> EF busy=0);
