/* Clients ask for a service and say in the request where the answer shall go; two servers take the requests in turn.
 *
 * Channels travel in messages and are held by servers.  A symmetry moves a client together with its channel and with
 * every reference to it; representatives are found by following these references, so the reduction is exact.
 */
/* expect: verdict=holds order=12 structure="S3 x S2" */
mtype = { request, done };

chan desk = [2] of { mtype, chan };
chan answer1 = [1] of { mtype };
chan answer2 = [1] of { mtype };
chan answer3 = [1] of { mtype };

proctype client(chan mine) {
    do
    :: desk!request,mine;
       mine?done
    od
}

proctype server() {
    chan customer;
end:
    do
    :: desk?request,customer;
       assert(empty(customer));       /* nobody is served twice */
       customer!done
    od
}

init {
    atomic {
        run client(answer1); run client(answer2); run client(answer3);
        run server(); run server()
    }
}
