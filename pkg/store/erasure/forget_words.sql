-- Empties what was said in sends, by the marks: text, address and error, and the texts of the evidence. That there was
-- contact, when and with which outcome stays. Returns how many it emptied. It asks for no permission, which its
-- callers do.
create or replace function app.forget_words(p_sends uuid[]) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  declare subject app.erasure_subject;
  begin
    subject.sends := p_sends;
    perform app.erase_rows('outrider.send', 't.id = any (($1).sends)', 'empty', subject, false, null);
    return (select count(*)::int from send s where s.id = any (p_sends));
  end $$;

alter function app.forget_words(uuid[]) owner to outrider_definer;
revoke execute on function app.forget_words(uuid[]) from public;
grant execute on function app.forget_words(uuid[]) to outrider_owner;
