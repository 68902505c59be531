-- Where the servers of a mailbox may lie: those that a workspace chose are reached in the public internet alone, each
-- time that they are connected to; those of the installation's operator anywhere.
alter table outrider.mailbox add column reach text not null default 'any' check (reach in ('public', 'any'));
