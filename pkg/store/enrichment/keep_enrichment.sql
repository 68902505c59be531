-- Keeps that providers were asked, and what they answered, before anything is paid. An answer that stands is
-- replaced only where a verification refused it, and nothing is kept of a question that another took over.
-- p_answers: [{field, provider, outcome, answer, confidence, ref, error, tries}]; tries: failed ones that it counts
-- for. p_now: epoch ms UTC, product time. Returns how many were kept. Locks: the fields.
create or replace function app.keep_enrichment(
  p_workspace text, p_subject uuid, p_holder text, p_answers jsonb, p_now bigint
)
  returns int
  language plpgsql security definer
  set search_path = outrider, app, pg_catalog
  as $$
  declare kept int;
  begin
    if not app.may_use(p_workspace) then
      raise exception 'no access to this workspace' using errcode = '42501';
    end if;
    with own as (
      select e.field, e.round
      from enrichment_field e
      where e.workspace_id = p_workspace and e.subject_id = p_subject and e.holder = p_holder and e.state = 'open'
      order by e.field
      for update
    )
    insert into enrichment_attempt as t (
      workspace_id, subject_id, field, round, provider, outcome, answer, confidence, ref, tries, error, asked_at,
      answered_at
    )
    select
      p_workspace, p_subject, own.field, own.round, a.provider, a.outcome, coalesce(a.answer, '{}'), a.confidence,
      a.ref, coalesce(a.tries, 0), left(a.error, 300), p_now,
      case when a.outcome <> 'asked' then p_now end
    from jsonb_to_recordset(p_answers) as a (
      field text, provider text, outcome text, answer jsonb, confidence real, ref text, error text, tries int
    )
    join own on own.field = a.field
    on conflict (workspace_id, subject_id, field, round, provider) do update
    set
      outcome = excluded.outcome,
      answer = excluded.answer,
      confidence = excluded.confidence,
      ref = coalesce(excluded.ref, t.ref),
      -- A try that ended without an answer counts too: its process ended, or its time was over.
      tries = t.tries + excluded.tries + (t.outcome = 'asked' and excluded.outcome = 'asked' and t.ref is null)::int,
      error = excluded.error,
      answered_at = excluded.answered_at
    where t.outcome in ('asked', 'failed')
      -- An address that a verification refused, and the verification, which goes on with the next address.
      or t.outcome = 'found' and excluded.outcome in ('invalid', 'asked')
      -- Verifiers that said nothing of the address before are asked about the next one.
      or t.field = 'email_verification' and t.outcome in ('not_found', 'mismatch') and excluded.outcome = 'asked';
    get diagnostics kept = row_count;
    return kept;
  end $$;

alter function app.keep_enrichment(text, uuid, text, jsonb, bigint) owner to outrider_definer;
revoke execute on function app.keep_enrichment(text, uuid, text, jsonb, bigint) from public;
grant execute on function app.keep_enrichment(text, uuid, text, jsonb, bigint) to outrider_app, outrider_executor;
