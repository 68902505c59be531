-- A person decides about what nobody knows. Before, a dead letter whose outcome was found out meanwhile could still be marked as not done:
-- what had been sent gave its unit and its key back, to be used again. And a request to connect that was marked as done left no pending
-- relation, so that it was never withdrawn.
set local search_path = outrider, app, public;

do $$
declare
  before text;
  after text;
begin
  before := pg_get_functiondef('app.resolve_send(uuid, text, bigint, text, text)'::regprocedure);
  after := replace(before, 'update send set evidence =', 'if p_resolution <> ''retry'' and s.state <> ''unknown'' then return s.state; end if;
    update send set evidence =');
  after := replace(after, '      if s.state <> ''unknown'' then return s.state; end if;
', '');
  after := replace(after, 'dead_letter_state = ''resolved'' where id = p_send;
    elsif p_resolution = ''mark_not_done''', 'dead_letter_state = ''resolved'' where id = p_send;
      perform app.keep_relations(p_now, array[p_send]);
    elsif p_resolution = ''mark_not_done''');
  after := replace(after, 'if s.state <> ''failed'' then perform app.undo_contacts(array[p_send]); end if;', 'perform app.undo_contacts(array[p_send]);');
  if (select count(*) from regexp_matches(after, 's\.state <> ''unknown'' then|keep_relations\(p_now|perform app\.undo_contacts', 'g')) <> 3 or after like '%''failed'' then perform%'
    then raise exception 'app.resolve_send does not read as expected'; end if;
  execute after;
end $$;
