-- An erasure cuts a person's full name out of what people wrote, and the keys of calls that name somebody become hashes
-- under which the same call is still known.

-- What finds the names and numbers of a subject in prose, besides what pattern finds; null: nothing.
alter type app.erasure_subject add attribute prose_pattern text;

-- They answer something else now, or are not needed any more.
drop function if exists app.column_marks();
drop function if exists app.forget_words(uuid[]);

-- Keys of calls that named an erased person, as salted hashes: a call that comes again under such a key meets the row
-- that is kept under the hash. Written by app.erase_keys; stays for good.
create table outrider.erased_key (
  hash text primary key
);

alter table outrider.erased_key enable row level security;
alter table outrider.erased_key force row level security;
create policy definer_all on outrider.erased_key to outrider_definer using (true) with check (true);
create policy owner_all on outrider.erased_key to outrider_owner using (true) with check (true);
grant select, insert on outrider.erased_key to outrider_definer;
