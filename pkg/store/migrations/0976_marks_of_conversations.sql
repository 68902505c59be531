-- When somebody marked a conversation read or unread here (epoch ms, product time); what was read of it before says
-- nothing of that any more. 0: nobody did.
alter table outrider.conversation add column marked_at bigint not null default 0;

-- What is attached to a message, never its bytes: [{name, type}].
alter table outrider.message add column attachments jsonb not null default '[]';
