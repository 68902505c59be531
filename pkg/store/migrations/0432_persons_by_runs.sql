-- When two persons turn out to be one (a file gives the address of somebody who is known by a profile), their sends, their runs that have ended and
-- their earlier merges were looked for among those of all workspaces: 370 ms for each such person beside 600,000 sends, some seconds beside ten
-- million, within the transaction of the file or of the batch that enrols them. Sends are found by their runs, whose person they share.
-- The index of runs by person had live runs only: an entry is made with the run in any case, and now it stays with it. No update of a run
-- writes more than before, since its person does not change.
set local search_path = outrider, app, public;

create index run_of_person on outrider.run (person_id);
drop index outrider.run_person;
alter index outrider.run_of_person rename to run_person;
create index person_merged on outrider.person (merged_into) where merged_into is not null;

do $$
declare
  before text := pg_get_functiondef('app.merge_person(uuid, uuid)'::regprocedure);
  after text;
begin
  after := replace(before, 'where person_id = p_from;
    update suppression', 'where person_id = p_from
      and (run_id = any (array(select r.id from run r where r.person_id = p_into)) or id = any (array(select k.send_id from send_key k where k.person_id = p_from)));
    update suppression');
  after := replace(after, 'update person set merged_into = p_into where id = p_from or merged_into = p_from;',
    'update person set merged_into = p_into where id = p_from;
    update person set merged_into = p_into where merged_into = p_from;');
  if (select count(*) from regexp_matches(after, 'r\.person_id = p_into\)|where merged_into = p_from;', 'g')) <> 2 then raise exception 'app.merge_person does not read as expected'; end if;
  execute after;
end $$;
