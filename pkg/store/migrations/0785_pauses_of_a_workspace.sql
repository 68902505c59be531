-- A workspace that shares an account pauses it for itself: only the workspace that linked it first pauses it for all.
alter table outrider.account_link add column paused boolean not null default false;

create trigger wake_on_release after update of paused on outrider.account_link for each row
  when (old.paused and not new.paused) execute function app.wake_on_release();
