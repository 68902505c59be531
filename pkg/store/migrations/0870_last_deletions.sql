-- What a deletion ended can be taken up again, also once the object was made anew: a row that lives keeps when it was
-- deleted last (epoch ms, product time; null: never), and whether it went with what is above it, so that it comes
-- back with that.
alter table outrider.campaign
  add column last_deleted_at bigint,
  add column deleted_with_parent boolean not null default false;
alter table outrider.workflow
  add column last_deleted_at bigint,
  add column deleted_with_parent boolean not null default false;

update outrider.campaign c
set last_deleted_at = c.deleted_at, deleted_with_parent = w.deleted_at is not null
from outrider.workspace w
where w.id = c.workspace_id and c.deleted_at is not null;
update outrider.workflow f
set last_deleted_at = f.deleted_at, deleted_with_parent = c.deleted_at is not null
from outrider.campaign c
where c.id = f.campaign_id and f.deleted_at is not null;
