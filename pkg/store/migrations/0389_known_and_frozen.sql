-- A person decides about what nobody knows. Before, a dead letter whose outcome was found out meanwhile could still be marked as not done:
-- what had been sent gave its unit and its key back, to be used again. And a request to connect that was marked as done left no pending
-- relation, so that it was never withdrawn.
-- A freeze of a mailbox says when to ask again, as one of all mail does: a parked run does not say that it waits for a mailbox, and went on
-- every second only to be parked again.
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

  before := pg_get_functiondef('app.stops_of(text, text[], text[], text[], bigint)'::regprocedure);
  after := replace(before, 'case when z.channel = ''mail'' then p_now + 900000 end', 'case when z.channel = ''mail'' or z.scope = ''account'' and x.kind = ''mail'' then p_now + 900000 end');
  after := replace(after, 'select true as frozen, s.until, s.channel from freezes s', 'select true as frozen, s.until, s.channel, s.scope from freezes s');
  if (select count(*) from regexp_matches(after, 'x\.kind = ''mail'' then|s\.channel, s\.scope from', 'g')) <> 2 then raise exception 'app.stops_of does not read as expected'; end if;
  execute after;
end $$;
