-- Whoever asks to get no more mails is heard also when it turned out since the mail that two persons are one: the wish then is the
-- one of the person that is left. Before, the address in the mail named the person that was no more, nobody was barred, and the
-- page said that it was done. The person is locked, so that one who is merged at the same moment is heard too.
set local search_path = outrider, app, public;

create function app.person_now(p_person uuid) returns uuid
  language sql security definer set search_path = outrider, app, pg_catalog as $$
    select coalesce(p.merged_into, p.id) from person p where p.id = p_person for share
  $$;
alter function app.person_now(uuid) owner to outrider_definer;
revoke execute on function app.person_now(uuid) from public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.opt_out(bigint, text, uuid, text, text)'::regprocedure);
  after := replace(before, E'    insert into suppression', E'    p_person := coalesce(app.person_now(p_person), p_person);\n    insert into suppression');
  if after = before then raise exception 'app.opt_out does not read as expected'; end if;
  execute after;

  before := pg_get_functiondef('app.record_reply(bigint, text, uuid, bigint, text, bigint)'::regprocedure);
  after := replace(before, E'    select kind into channel', E'    p_person := coalesce(app.person_now(p_person), p_person);\n    select kind into channel');
  if after = before then raise exception 'app.record_reply does not read as expected'; end if;
  execute after;
end $$;
