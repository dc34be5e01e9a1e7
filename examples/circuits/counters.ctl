# All counters can be full at once, from everywhere.
AG EF all_full=1;
AG EF none_full=1;
