-- Servers that refused a mail because of its sender barred the address that it was for. mail_report learns two kinds
-- more: sender_fault (our mailbox, its domain or its limits) and refused (what the mail said, or a rule of the
-- recipient's company); neither is about the address, and judgements of the mailbox count neither as a bounce.
alter table outrider.mail_report drop constraint mail_report_kind_check;
alter table outrider.mail_report
  add constraint mail_report_kind_check
  check (kind in ('hard_bounce', 'soft_bounce', 'complaint', 'sender_fault', 'refused'));

-- Why the account rests, for people: what to mend and what the server said; empty: nobody knows more than that it
-- shall. The rest ends at cooldown_until as before.
alter table outrider.network_account add column cooldown_reason text not null default '';
