-- Written by make generate from pkg/store/erasure/column-marks.ts.
-- Returns the tables of which an erasure, a purge or a retention takes something, with their marks: which rows t are
-- about a person and which a workspace leaves (conditions, $1 is an app.erasure_subject), what becomes of them, and
-- of rows that name the person (cut, empty, delete, no), the marked columns, keys of calls, which columns are facts,
-- which rows a workspace knows the person by (a condition; empty: none), and which rows stay as they are for now.
create or replace function app.column_marks()
  returns table (
    table_name text, person text, row_act text, mention_act text, workspace text, left_act text,
    erased text[], hashed text[], emptied jsonb, keyed text[], facts text[], known_by text, stays text
  )
  language sql immutable
  as $$
    values
      (
        'outrider.account_guard', '', 'empty', 'cut', 't.account_id = any (($1).accounts)', 'empty',
        '{detail}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.account_id = any (($1).accounts)', ''
      ),
      (
        'outrider.action', 't.lead_id = any (($1).leads)', 'empty', 'cut', 't.workspace_id = ($1).workspace_id',
        'empty', '{body,target,error}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{target}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.adoption', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete', '{owner}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.api_key', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty', '{name}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.app_user', '', 'empty', 'no', 't.id = any (($1).users)', 'empty', '{email,name}'::text[],
        '{}'::text[], '{"email":"''erased:'' || t.id"}'::jsonb, '{}'::text[], '{}'::text[],
        't.id = any (($1).users)', ''
      ),
      (
        'outrider.audit_event', '', 'empty', 'empty', '', 'empty', '{change}'::text[], '{}'::text[],
        '{"change":"app.reason_hashed(t.change)"}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id is null or t.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.background_job', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{work,error}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.calendar_account', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{email,url,sealed,calendar_id}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{email,url,calendar_id}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.calendar_change', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{wish,plan,error,made_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{made_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.calendar_sync', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.calendar_hold', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_chunk', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_engager', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete',
        '{provider_id}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_mark', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{actor,text,data}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{actor}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_medium', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{url,alt,error}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_post', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{text,first_comment,reason,failure,decided_by,made_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{decided_by,made_by}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.content_sample', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.console_link', '', 'empty', 'cut', 't.user_id = any (($1).users)', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.user_id = any (($1).users)', ''
      ),
      (
        'outrider.console_passkey', '', 'empty', 'no', 't.user_id = any (($1).users)', 'delete', '{name}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.user_id = any (($1).users)', ''
      ),
      (
        'outrider.console_session', '', 'empty', 'cut', 't.user_id = any (($1).users)', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.user_id = any (($1).users)', ''
      ),
      (
        'outrider.sign_in_client', '', 'empty', 'no', '', 'empty', '{name}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], '', ''
      ),
      (
        'outrider.sign_in_code', '', 'empty', 'no', 't.user_id = any (($1).users)', 'delete',
        '{client_name}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.user_id = any (($1).users)', ''
      ),
      (
        'outrider.brand_voice', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{brand_name,tagline,description,audience,website,tone_words,dos,donts,banned_phrases,examples}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.campaign', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{title,goal,description,settings,reconcile}'::text[], '{}'::text[],
        '{"settings":"t.settings - ''playbookOverride''","reconcile":"t.reconcile - ''message''"}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.campaign_lead', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.company', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete',
        '{name,company_key,domain,website,industry,company_size,location,funding_stage,technologies,profile_url,'
        'provenance}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.conversation', 't.id = any (($1).conversations)', 'empty', 'cut',
        't.account_id = any (($1).accounts)', 'empty',
        '{participant_name,participant_headline,participant_profile_url,preview}'::text[], '{provider_id}'::text[],
        '{}'::jsonb, '{}'::text[], '{participant_name,participant_headline,participant_profile_url}'::text[],
        't.account_id = any (($1).accounts)', ''
      ),
      (
        'outrider.credit_entry', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{reason}'::text[], '{}'::text[], '{}'::jsonb, '{idempotency_key}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.credit_hold', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{idempotency_key}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.delivery', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{error}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.enrichment_attempt', 't.subject_id = any (($1).leads)', 'delete', 'no',
        't.workspace_id = ($1).workspace_id', 'delete', '{answer,ref,error}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.enrichment_field', 't.subject_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.feedback', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{message,given_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{given_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.held_deletion', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{reason}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.hold', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{reason,held_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{held_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.icp', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{titles,industries,seniorities,company_sizes,keywords}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.idempotency', '', 'empty', 'empty', 't.workspace_id = ($1).workspace_id', 'delete',
        '{result}'::text[], '{}'::text[], '{"result":"app.without_words(t.result)"}'::jsonb,
        '{idempotency_key}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.integration', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{name,url,sealed,last_error,ended_reason,field_mapping}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{url}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.integration_echo', 't.lead_id = any (($1).leads)', 'delete', 'no',
        't.workspace_id = ($1).workspace_id', 'delete', '{external_id}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{external_id}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.integration_grant', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete',
        '{sealed}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.integration_object', 't.lead_id = any (($1).leads)', 'delete', 'no',
        't.workspace_id = ($1).workspace_id', 'delete', '{external_id}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{external_id}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.intent', '', 'empty', 'empty', 't.workspace_id = ($1).workspace_id', 'delete', '{result}'::text[],
        '{}'::text[], '{"result":"app.without_words(t.result)"}'::jsonb, '{intent_key}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.invitation', '', 'empty', 'delete', 't.workspace_id = ($1).workspace_id', 'delete',
        '{email,invited_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{email,invited_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead', 't.id = any (($1).leads)', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{first_name,last_name,full_name,headline,title,seniority,company,company_key,company_domain,industry,'
        'company_size,location,country,timezone,profile_url,profile_id,email,email_status,phone,custom_fields,'
        'provenance}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{first_name,last_name,full_name,seniority,company,company_key,company_domain,industry,company_size,'
        'location,country,timezone,profile_url,profile_id,email,email_status,phone}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_import', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{errors,source_note,said}'::text[], '{}'::text[], '{}'::jsonb, '{call_key}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_list', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{name,description,predicate,filter}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_list_member', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_match_key', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{key}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{key}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_overlay', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{tags,notes}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_score', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{reasons}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_scrape_item', 't.lead_id = any (($1).leads) or t.profile_id = any (($1).profiles)', 'empty',
        'cut', 't.workspace_id = ($1).workspace_id', 'empty', '{profile_id,asked}'::text[], '{}'::text[],
        '{}'::jsonb, '{}'::text[], '{profile_id,asked}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.mail_report', 't.send_id = any (($1).sends) or t.address = any (($1).mails)', 'empty', 'cut',
        't.account_id = any (($1).accounts)', 'empty', '{address,reason}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{address}'::text[], 't.account_id = any (($1).accounts)', ''
      ),
      (
        'outrider.mailbox', '', 'empty', 'no', 't.account_id = any (($1).accounts)', 'empty',
        '{address,username,sealed,signature}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.account_id = any (($1).accounts)', ''
      ),
      (
        'outrider.lead_upload', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.lead_upload_part', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete',
        '{body}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.mail_outbox', '', 'empty', 'delete', 't.workspace_id = ($1).workspace_id', 'delete',
        '{recipient,params,sealed,error}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{recipient}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.member', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.message', 't.conversation_id = any (($1).conversations)', 'empty', 'cut',
        't.account_id = any (($1).accounts)', 'empty', '{subject,body,attachments}'::text[], '{}'::text[],
        '{}'::jsonb, '{}'::text[], '{}'::text[], 't.account_id = any (($1).accounts)', ''
      ),
      (
        'outrider.network_account', '', 'empty', 'no', 't.id = any (($1).accounts)', 'empty',
        '{display_name,profile_url}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.id = any (($1).accounts)', ''
      ),
      (
        'outrider.node_call', 't.run_id = any (($1).runs)', 'empty', 'cut', '', 'empty', '{result,error}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        't.state <> ''settled'''
      ),
      (
        'outrider.notification', '(t.data ->> ''leadId'') = any (($1).leads::text[])', 'delete', 'delete',
        't.workspace_id = ($1).workspace_id', 'delete', '{title,text,data}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.notification_event', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.notification_preference', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.oauth_state', '', 'empty', 'no', 't.workspace_id = ($1).workspace_id', 'delete',
        '{sealed_verifier}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.person_alias', 't.person_id = any (($1).persons)', 'empty', 'cut', '', 'empty', '{}'::text[],
        '{value}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], '', ''
      ),
      (
        'outrider.person_merge', 't.from_person = any (($1).persons) or t.into_person = any (($1).persons)',
        'empty', 'cut', '', 'empty', '{evidence,carried,undone_by}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{evidence,carried,undone_by}'::text[], '', ''
      ),
      (
        'outrider.persona', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{name,description,pain_points,goals,objections}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.phase', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{name,description,objectives}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.playbook', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{text,created_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{created_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.pool_seat', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.provider_list', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{name,mapping}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.provider_list_member', 't.lead_id = any (($1).leads)', 'delete', 'no',
        't.workspace_id = ($1).workspace_id', 'delete', '{external_id}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{external_id}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.relation', 't.person_id = any (($1).persons)', 'empty', 'cut', '', 'empty', '{}'::text[],
        '{provider_id,profile_id}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], '', ''
      ),
      (
        'outrider.review_item', 't.run_id = any (($1).runs)', 'empty', 'cut', '', 'empty',
        '{subject,body,original_body,facts,reason,decided_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{decided_by}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.run', 't.id = any (($1).runs)', 'empty', 'cut', '', 'empty', '{facts,end_reason}'::text[],
        '{}'::text[],
        '{"facts":"t.facts - app.wordy_facts()","end_reason":"app.own_end_reason(t.end_reason)"}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.run_event', 't.run_id = any (($1).runs)', 'empty', 'cut', '', 'empty', '{text,data}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.schedule', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{name,settings}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.scheduled_run', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{result,error}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.send', 't.id = any (($1).sends)', 'empty', 'cut', '', 'empty',
        '{body,target,error,evidence}'::text[], '{}'::text[],
        '{"evidence":"app.evidence_without_texts(t.evidence)"}'::jsonb, '{}'::text[], '{target}'::text[],
        't.workspace_id = ($1).workspace_id', 't.state in (''dispatched'', ''unknown'') and not t.maybe'
      ),
      (
        'outrider.send_freeze', '', 'empty', 'cut', '', 'empty', '{reason,frozen_by}'::text[], '{}'::text[],
        '{}'::jsonb, '{}'::text[], '{frozen_by}'::text[], 'true', ''
      ),
      (
        'outrider.signal', 't.lead_id = any (($1).leads)', 'delete', 'cut', 't.workspace_id = ($1).workspace_id',
        'delete', '{title,evidence,natural_key}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_agent', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{criteria,playbook,judge}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_agent_day', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.signal_agent_rules', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{rules}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_decision', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{reason,facts}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_company_watch', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.signal_source', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{url,state,fault}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_source_item', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id',
        ''
      ),
      (
        'outrider.signal_watch', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{title,company}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{title,company}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_verdict', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{reason,evidence}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_person', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.signal_queue', 't.lead_id = any (($1).leads)', 'empty', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{rule}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.split_control', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{updated_by}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[], '{updated_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.suppression',
        't.kind in (''mail'', ''profile'', ''name_company'') and (t.person_id = any (($1).persons) or t.value = '
        'any (($1).mails || ($1).profiles))', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{reason,created_by}'::text[], '{value}'::text[], '{}'::jsonb, '{}'::text[], '{created_by}'::text[],
        't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.timed_event', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.watch', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete',
        '{profile_url,domain,query,search_url,pause_reason,state}'::text[], '{}'::text[], '{}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.watch_finding', 't.lead_id = any (($1).leads)', 'delete', 'cut',
        't.workspace_id = ($1).workspace_id', 'delete', '{title,url,terms}'::text[], '{}'::text[], '{}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.watch_month', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.watch_seen', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'delete', '{}'::text[],
        '{}'::text[], '{}'::jsonb, '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.workflow', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{name,graph_problem,reconcile}'::text[], '{}'::text[], '{"reconcile":"t.reconcile - ''message''"}'::jsonb,
        '{}'::text[], '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.workflow_graph', '', 'empty', 'cut', 't.workspace_id = ($1).workspace_id', 'empty',
        '{graph}'::text[], '{}'::text[], '{"graph":"app.graph_without_configs(t.graph)"}'::jsonb, '{}'::text[],
        '{}'::text[], 't.workspace_id = ($1).workspace_id', ''
      ),
      (
        'outrider.workspace', '', 'empty', 'cut', 't.id = ($1).workspace_id', 'empty',
        '{name,settings,reconcile,deletion}'::text[], '{}'::text[],
        '{"settings":"t.settings - array[''website'', ''senderPostalAddress'']","reconcile":"t.reconcile - '
        '''message''","deletion":"t.deletion - array[''reason'', ''by'']"}'::jsonb, '{}'::text[], '{name}'::text[],
        't.id = ($1).workspace_id', ''
      )
  $$;

revoke execute on function app.column_marks() from public;
grant execute on function app.column_marks() to outrider_definer;
