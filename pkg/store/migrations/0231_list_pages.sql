-- Indexes in the order of pages that had to sort what a workspace gathered in years, and of filters that few rows meet.
set local search_path = outrider, app, public;

create index notification_workspace on outrider.notification (workspace_id, created_at desc, id desc);
create index conversation_unread on outrider.conversation (account_id, last_message_at desc, id desc) where unread > 0;
create index conversation_class on outrider.conversation (account_id, reply_class, last_message_at desc, id desc) where reply_class <> 'unclassified';
create index signal_type on outrider.signal (workspace_id, type, detected_at desc, id desc);
-- Holds and settlements are most of the ledger, and what is charged on the way of a send pays for no further index.
create index credit_entry_seldom on outrider.credit_entry (workspace_id, kind, seq desc) where kind in ('grant', 'release', 'refund', 'adjust', 'expire');
