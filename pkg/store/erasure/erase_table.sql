-- Erases in a table all that is about a subject, and what names it (app.erase_words). p_now: epoch ms UTC, product
-- time. Returns how many rows; 0 unless the caller is the platform. svc_admin_erase_subject calls it for each table.
create or replace function app.erase_table(p_subject app.erasure_subject, p_table text, p_now bigint) returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog, pg_temp
  as $$
  begin
    if not app.is_platform() then return 0; end if;
    case p_table
      when 'outrider.lead' then
        -- Where somebody worked is a word about them.
        update lead l
        set erased_at = p_now, company_id = null
        where l.id = any (p_subject.leads) and l.erased_at is null;
      when 'outrider.conversation' then
        -- What is older than this stays empty however often it is read.
        update conversation c set erased_at = p_now, unread = 0 where c.id = any (p_subject.conversations);
      when 'outrider.lead_scrape_item' then
        update lead_scrape_item i
        set state = 'failed'
        where i.state = 'queued'
          and (i.lead_id = any (p_subject.leads) or i.profile_id = any (p_subject.profiles));
      else null;
    end case;
    return app.erase_words(p_subject, p_table, false);
  end $$;

alter function app.erase_table(app.erasure_subject, text, bigint) owner to outrider_definer;
revoke execute on function app.erase_table(app.erasure_subject, text, bigint) from public;
grant execute on function app.erase_table(app.erasure_subject, text, bigint) to outrider_app;
