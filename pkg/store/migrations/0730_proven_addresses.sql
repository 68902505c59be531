-- An address is a user once somebody accepted by the link that was mailed to it. Whoever accepts by a link that the
-- inviter could read is a member who says to have the address: they hold nothing of it, and any number may say so.
-- Users of before count as proven.
alter table outrider.app_user add column unproven boolean not null default false;
create unique index app_user_proven on outrider.app_user (lower(email)) where not unproven;
create index app_user_address on outrider.app_user (lower(email));
drop index outrider.app_user_email;

-- What the invitation gives: at most the inviter's scopes, unless its link was mailed. Null: it is from a program of
-- the version before, which did not say; it gives what reads.
alter table outrider.invitation add column scopes text[];
-- The key that invited; null as above, or an internal caller.
alter table outrider.invitation add column inviter_key uuid;
-- Whether only the mail holds the link, so that accepting by it proves the address.
alter table outrider.invitation add column mailed boolean not null default false;
-- Who accepted it; null: nobody, or in the version before.
alter table outrider.invitation add column member_id uuid;
create index invitation_inviter on outrider.invitation (inviter_key) where inviter_key is not null;

-- Scopes that the member's keys have in this workspace at most; null: all that they carry.
alter table outrider.member add column scope_limit text[];
-- The key that invited the member: they are named when it is revoked. Null: none did, or in the version before.
alter table outrider.member add column made_by_key uuid;
create index member_made_by on outrider.member (made_by_key) where made_by_key is not null;

create trigger member_limit_generation after update of scope_limit on outrider.member
  for each row when (old.scope_limit is distinct from new.scope_limit) execute function app.raise_generations();
create trigger app_user_proof_generation before update on outrider.app_user
  for each row when (old.unproven is distinct from new.unproven) execute function app.raise_own_generation();
