-- Opens fields of a lead (or `company` of a company) for who asks providers, or says why not. One who comes again
-- under his name goes on where he was; after his lease anybody does. p_campaign: whose exclusions count too, or
-- null. p_asks: [{field, about}]; about '': of the address found today. p_holder: the same for every try of one
-- piece of work. p_now: epoch ms UTC, product time. p_lease_seconds: real time. standing: mine, busy (another asks),
-- barred (erased, not theirs, or nobody may contact them), found or not_found (this was answered today: the same
-- question costs nothing). attempts: those of the round, [{provider, outcome, answer, confidence, ref, tries,
-- askedAt}].
-- 42501 for a workspace of others. Locks: the fields in the order of their names.
create or replace function app.begin_enrichment(
  p_workspace text, p_campaign text, p_subject uuid, p_asks jsonb, p_holder text, p_now bigint,
  p_lease_seconds int
)
  returns table (field text, standing text, attempts jsonb)
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  #variable_conflict use_column
  declare
    q record;
    f record;
    today int := p_now / 86400000;
    lease timestamptz := clock_timestamp() + make_interval(secs => p_lease_seconds);
    stands text;
    -- whether the subject may be asked about at all
    may boolean;
    -- how the address of the lead stands, which is asked for first
    mail text;
    same boolean;
  begin
    if not app.may_use(p_workspace) then
      raise exception 'no access to this workspace' using errcode = '42501';
    end if;
    for q in
      select a.field, a.about
      from jsonb_to_recordset(p_asks) as a (field text, about text)
      order by a.field
    loop
      may := coalesce(may, app.may_be_enriched(p_workspace, p_campaign, p_subject, q.field, p_now));
      if not may then
        return query select q.field, 'barred', '[]'::jsonb;
        continue;
      end if;
      insert into enrichment_field (workspace_id, subject_id, field, day, about, state, holder, lease_until)
      values (p_workspace, p_subject, q.field, today, q.about, 'open', p_holder, lease)
      on conflict do nothing;
      select * into f
      from enrichment_field e
      where e.workspace_id = p_workspace and e.subject_id = p_subject and e.field = q.field
      for update;
      same := f.about = q.about or q.about = '' and mail = 'found';
      stands := case
        when f.state = 'open' and f.holder <> p_holder and f.lease_until > clock_timestamp() then 'busy'
        when f.state in ('found', 'not_found') and f.day = today and same then f.state
        else 'mine'
      end;
      if q.field = 'email' then mail := stands; end if;
      if stands = 'mine' then
        -- What was left open yesterday goes on; older answers are asked for anew.
        update enrichment_field e
        set
          holder = p_holder,
          lease_until = lease,
          state = 'open',
          round = case when f.state = 'open' and f.day >= today - 1 and same then f.round
            else f.round + 1 end,
          day = case when f.state = 'open' and f.day >= today - 1 and same then f.day else today end,
          about = q.about,
          provider = null,
          credits = 0,
          settled_at = null
        where e.workspace_id = p_workspace and e.subject_id = p_subject and e.field = q.field
        returning e.round into f.round;
      end if;
      return query
        select
          q.field,
          stands,
          coalesce((
            select jsonb_agg(jsonb_build_object(
              'provider', a.provider, 'outcome', a.outcome, 'answer', a.answer, 'confidence', a.confidence,
              'ref', a.ref, 'tries', a.tries, 'askedAt', a.asked_at
            ))
            from enrichment_attempt a
            where a.workspace_id = p_workspace and a.subject_id = p_subject and a.field = q.field
              and a.round = f.round
          ), '[]');
    end loop;
  end $$;

alter function app.begin_enrichment(text, text, uuid, jsonb, text, bigint, int) owner to outrider_definer;
revoke execute on function app.begin_enrichment(text, text, uuid, jsonb, text, bigint, int) from public;
grant execute on function app.begin_enrichment(text, text, uuid, jsonb, text, bigint, int)
  to outrider_app, outrider_executor;
