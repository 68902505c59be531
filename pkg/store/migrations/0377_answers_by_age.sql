-- Answers of repeated calls are kept for seven days: what is older is found by its age, and purged.
set local search_path = outrider, app, public;

create index idempotency_age on outrider.idempotency (created_at);
create index intent_age on outrider.intent (created_at);
