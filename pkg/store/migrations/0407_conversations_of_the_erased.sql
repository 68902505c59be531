-- Erasure reaches the inbox: who was erased went on being shown there with name, profile and every word, to whoever may read it. Conversations
-- of accounts that no other workspace shares are emptied. The rows stay, so that account sync does not take what it reads again for news; what
-- the person writes after it is theirs to tell, and shows.
set local search_path = outrider, app, public;

alter table outrider.conversation add column erased_at bigint;

do $$
declare
  before text := pg_get_functiondef('app.erase_lead(text, uuid, bigint, boolean)'::regprocedure);
  after text;
begin
  after := replace(before, '    if p_keep and l.person_id is not null then
', '    with emptied as (
      update conversation c set participant_name = '''', participant_headline = '''', participant_profile_url = '''', preview = '''', unread = 0, erased_at = p_now
        where c.person_id = l.person_id and c.erased_at is distinct from p_now
          and exists (select 1 from account_link k where k.account_id = c.account_id and k.workspace_id = p_workspace)
          and not exists (select 1 from account_link k join workspace w on w.id = k.workspace_id and w.deleted_at is null
            where k.account_id = c.account_id and k.workspace_id <> p_workspace)
        returning c.id
    ), silenced as (
      update message m set body = '''', subject = null from emptied e where m.conversation_id = e.id
    )
    select count(*) into n from emptied;
    erased := erased || jsonb_build_object(''conversations'', n);
    if p_keep and l.person_id is not null then
');
  if after = before then raise exception 'app.erase_lead does not read as expected'; end if;
  execute after;
end $$;
