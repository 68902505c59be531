-- Nobody could resume a mailbox that paused itself: what had come back in 30 days would have paused it again.
-- judged_since: mails from then on (epoch ms, product time) and what comes back of them count; 0: all do. Set when an operator resumes it.
alter table outrider.mailbox add column judged_since bigint not null default 0;
