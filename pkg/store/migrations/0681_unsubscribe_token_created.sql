-- Addresses of unsubscription that are older than any mail that is still answered (app.purge_deleted).
create index unsubscribe_token_created on outrider.unsubscribe_token (created_at);
