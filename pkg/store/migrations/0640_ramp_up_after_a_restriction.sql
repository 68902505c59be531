-- An account that was restricted and had to be logged in anew went on at its full pace: ramp-up began again only for one that became ok
-- from `restricted` itself. ramp_again: it was restricted and has not been ok since.
alter table outrider.network_account add column ramp_again boolean not null default false;
