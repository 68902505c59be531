-- The newest event of a session's standing stream outlives its quarter of an hour, so that the numbers of its events never begin
-- anew: a client that came back with the number of an old one was told nothing of what had come since. What expires is found apart.
set local search_path = outrider, app, public;

drop index outrider.stream_event_age;
create index stream_event_age on outrider.stream_event (at) where stream <> 'get';
create index stream_event_standing on outrider.stream_event (at) where stream = 'get';
