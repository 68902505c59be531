-- Units that a send keeps, where a mail server took it for some of its readers alone; null: a send that left keeps all
-- of them, one that failed none.
alter table outrider.send add column kept_units int check (kept_units >= 0);
