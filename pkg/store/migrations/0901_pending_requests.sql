-- Requests that wait for an answer, by how long they do (app.stale_requests): an account has thousands of relations.
create index relation_pending on outrider.relation (account_id, requested_at) where state = 'pending';
