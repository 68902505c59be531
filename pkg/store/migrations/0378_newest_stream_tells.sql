-- The newest stream of a session tells of changes; null: any of them. A client that lost its connection without anybody noticing
-- comes back on another stream, and what was still told on the old one was lost.
set local search_path = outrider, app, public;

alter table outrider.resource_subscription add column stream uuid;
