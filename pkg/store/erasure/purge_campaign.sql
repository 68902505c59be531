-- Purges a part of a deleted campaign: p_most of its scores, else p_most of its own leads' places, and with the last
-- of them its texts, personas, phases and audience. p_now: epoch ms UTC, product time. The caller (app.purge_deleted)
-- has locked it.
create or replace function app.purge_campaign(p_campaign text, p_now bigint, p_most int) returns void
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare
    n int;
    subject app.erasure_subject;
    of_campaign text;
  begin
    delete from lead_score
    where (icp_id, lead_id) in (
      select s.icp_id, s.lead_id
      from lead_score s
      where s.campaign_id = p_campaign
      limit p_most
    );
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from campaign_lead
    where (campaign_id, lead_id) in (
      select c.campaign_id, c.lead_id
      from campaign_lead c
      where c.campaign_id = p_campaign
      limit p_most
    );
    get diagnostics n = row_count;
    if n = p_most then return; end if;
    delete from persona where campaign_id = p_campaign;
    delete from phase where campaign_id = p_campaign;
    of_campaign := format('t.campaign_id = %L', p_campaign);
    perform app.erase_rows('outrider.icp', of_campaign, 'empty', subject, false, null);
    update icp set purged_at = p_now where campaign_id = p_campaign;
    perform app.erase_rows('outrider.campaign', format('t.id = %L', p_campaign), 'empty', subject, false, null);
    update campaign set purged_at = p_now where id = p_campaign;
  end $$;

alter function app.purge_campaign(text, bigint, int) owner to outrider_definer;
revoke execute on function app.purge_campaign(text, bigint, int) from public;
