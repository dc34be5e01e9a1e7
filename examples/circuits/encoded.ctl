# The lock can be given back from everywhere.  The second formula names one requester: it leaves the others alike.
AG EF held=0;
EF (held=1 * owner[1:0]=3);
