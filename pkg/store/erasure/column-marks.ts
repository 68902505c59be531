import { PLANNED_MARKS } from './planned-marks.ts';
import { SIGN_IN_MARKS } from './sign-in-marks.ts';
import type { TableMarks } from './table-marks.ts';

const OF_LEAD = 't.lead_id = any (s.leads)';
const OF_RUN = 't.run_id = any (s.runs)';
/** Accounts that no other workspace is linked to. */
const OWN_ACCOUNT = 't.account_id = any (s.accounts)';

/** By table. Tables of schema `app` carry their schema. */
export const COLUMN_MARKS: Readonly<Record<string, TableMarks>> = {
  'app.claim_secret': { none: 'only_row inner_pad outer_pad' },
  'app.erasure_salt': { none: 'only_row salt' },
  'app.signing_key': { none: 'only_row private_key public_key made_at' },
  account_budget: { none: 'account_id action head_date used limit_day limit_week by_workspace last_at' },
  account_guard: { none: 'account_id checked_start lacking proof', erase: 'detail', workspace: OWN_ACCOUNT },
  account_consent: {
    none: 'account_id workspace_id given_by given_at',
    workspace: 't.given_by = $1 or t.workspace_id = $1',
  },
  account_incident: { none: 'account_id at kind' },
  account_link: { none: 'account_id workspace_id share linked_at paused is_default' },
  account_pacing: { none: 'account_id heavy_free_at light_free_at' },
  account_slot: {
    none: 'account_id heavy at free_at workspace_id run_id budgets acted earliest company_key',
  },
  account_wake: { none: 'account_id due_at hinted last_synced_at sync_state' },
  action: {
    none: `id workspace_id campaign_id lead_id person_id content_post_id calendar_change_id account_id action budgets once_key urgent state due_at
      wait_reason expires_at tries failing_since endings send_id outcome made_by scheduled_run_id created_at ended_at`,
    erase: 'body target error',
    facts: 'target',
    person: OF_LEAD,
  },
  adoption: {
    none: 'workspace_id uid agency_id refused_at confirmed_at',
    erase: 'owner',
    mentions: 'no',
    left: 'delete',
  },
  agenda: { none: 'workspace_id due_at lane run_ids frozen_account' },
  api_key: {
    none: `id key_hash key_type workspace_id user_id key_prefix scopes generation created_by created_at last_used_at
      revoked_at only_workspaces client_id may_reach`,
    erase: 'name',
  },
  // Somebody who works with the product is no contact: a person finds them in `kept` of an erasure. They go with their last workspace.
  app_user: {
    none: 'id platform_admin generation created_at unproven',
    erase: 'email name',
    mentions: 'no',
    workspace: 't.id = any (s.users)',
    emptied: { email: `'erased:' || t.id` },
  },
  audit_anchor: { none: 'seq at chain position head closed previous_hash hash' },
  audit_event: {
    none: `seq id at actor_kind actor_id key_prefix tool workspace_id record_type record_id request_id hash
      previous_hash chain position outcome duration_us input_hash record_ids calls`,
    erase: 'change',
    mentions: 'empty',
    // The log outlives the workspace.
    workspace: '',
    knownBy: 't.workspace_id is null or t.workspace_id = s.workspace_id',
    emptied: { change: 'app.reason_hashed(t.change)' },
  },
  audit_write: { none: 'id at actor_kind actor_id tool input_hash request_id' },
  background_job: {
    none: `id workspace_id kind account_id hold_id status not_before holder lease_until failures created_at finished_at`,
    erase: 'work error',
  },
  ...PLANNED_MARKS,
  ...SIGN_IN_MARKS,
  brand_voice: {
    none: 'workspace_id updated_at',
    erase: 'brand_name tagline description audience website tone_words dos donts banned_phrases examples',
    left: 'delete',
  },
  campaign: {
    none: `id workspace_id uid generation resource_version state created_at updated_at deleted_at object_created_at
      purged_at lead_lists workflows icps personas phases last_deleted_at deleted_with_parent`,
    erase: 'title goal description settings reconcile',
    emptied: { settings: `t.settings - 'playbookOverride'`, reconcile: `t.reconcile - 'message'` },
  },
  campaign_credit: { none: 'campaign_id workspace_id used' },
  campaign_lead: { none: 'workspace_id campaign_id lead_id added_at', person: OF_LEAD, rows: 'delete', left: 'delete' },
  campaign_pool: { none: 'campaign_id workspace_id least leads scores_tx' },
  certificate: { none: 'id kind subject body signature made_at' },
  claim: { none: 'kind key epoch holder expires_at drain_epoch idle_epoch idle_since' },
  company: {
    none: `id workspace_id size_least size_most headcount headcount_growth_pct last_funding_at enriched_at created_at
      updated_at search`,
    erase: `name company_key domain website industry company_size location funding_stage technologies profile_url provenance`,
    mentions: 'no',
    left: 'delete',
  },
  component_state: { none: 'name status since seen_at' },
  contact_claim: { none: 'scope_key person_id workspace_id run_id taken_at released_at cool_until' },
  contact_log: { none: 'person_id workspace_id campaign_id workflow_id account_id last_at touches before_at' },
  // What lies in the bucket under these names goes with the row (pkg/tools/content/bucket-garbage-job.ts).
  bucket_garbage: { none: 'medium_id workspace_id pieces since' },
  conversation: {
    none: 'id account_id external_id person_id last_message_at unread reply_class synced_at erased_at in_mail marked_at',
    erase: 'participant_name participant_headline participant_profile_url preview',
    hash: 'provider_id',
    facts: 'participant_name participant_headline participant_profile_url',
    person: 't.id = any (s.conversations)',
    workspace: OWN_ACCOUNT,
  },
  credit_balance: { none: 'workspace_id balance held' },
  credit_entry: {
    none: `id workspace_id kind amount balance_after held_after action tool run_id campaign_id hold_id key_prefix
      at seq`,
    erase: 'reason',
    keys: 'idempotency_key',
  },
  credit_hold: {
    none: `id workspace_id amount state expires_at settled action tool run_id campaign_id key_prefix input_hash refunded
      created_at held_at`,
    keys: 'idempotency_key',
  },
  delivery: {
    none: `id workspace_id integration_id number seq at kind lead_ids state attempts due_at holder lease_until created_at
      settled_at`,
    erase: 'error',
    left: 'delete',
  },
  enrichment_attempt: {
    none: `workspace_id subject_id field round provider outcome confidence tries credits asked_at answered_at`,
    erase: 'answer ref error',
    person: 't.subject_id = any (s.leads)',
    rows: 'delete',
    mentions: 'no',
    left: 'delete',
  },
  enrichment_field: {
    none: `workspace_id subject_id field round day about state holder lease_until provider credits settled_at`,
    person: 't.subject_id = any (s.leads)',
    rows: 'delete',
    left: 'delete',
  },
  erased_key: { none: 'hash' },
  erased_send: { none: 'workspace_id send_id' },
  erasure_tombstone: { none: 'workspace_id hash reason erased_at certificate_id' },
  event_head: { none: 'workspace_id last' },
  event_number: { none: 'workspace_id number seq at kind' },
  event_reader: { none: 'workspace_id reader position read_at' },
  event_numberer: { none: 'one floor_seq mark_seq mark_xid', workspace: '' },
  feedback: {
    none: 'id workspace_id category severity tool_name request_id created_at',
    erase: 'message given_by',
    facts: 'given_by',
  },
  hand_action: { none: 'account_id action ref at noted_start' },
  held_deletion: { none: 'kind id workspace_id uid held_at', erase: 'reason', left: 'delete' },
  hold: { none: 'workspace_id kind id created_at', erase: 'reason held_by', facts: 'held_by', left: 'delete' },
  icp: {
    none: 'id workspace_id campaign_id scored_at scores_stale created_at deleted_at faded_at purged_at',
    erase: 'titles industries seniorities company_sizes keywords',
  },
  idempotency: {
    none: 'workspace_id tool input_hash created_at',
    erase: 'result',
    keys: 'idempotency_key',
    mentions: 'empty',
    left: 'delete',
    emptied: { result: 'app.without_words(t.result)' },
  },
  installation: { none: 'only_row rehearsal' },
  integration: {
    none: `id workspace_id provider kind status events last_delivery_at failures_in_row created_at deleted_at
      subscriber_key subscriber_user member_user hold_until paused_at two_way token_expires_at`,
    erase: 'name url sealed last_error ended_reason field_mapping',
    facts: 'url',
  },
  integration_echo: {
    none: 'integration_id property workspace_id lead_id written_at value_hash',
    erase: 'external_id',
    facts: 'external_id',
    person: OF_LEAD,
    rows: 'delete',
    mentions: 'no',
    left: 'delete',
  },
  integration_grant: {
    none: 'integration_id workspace_id holder lease_until failures',
    erase: 'sealed',
    mentions: 'no',
    left: 'delete',
  },
  integration_object: {
    none: 'integration_id workspace_id lead_id excluded told_at',
    erase: 'external_id',
    facts: 'external_id',
    person: OF_LEAD,
    rows: 'delete',
    mentions: 'no',
    left: 'delete',
  },
  intent: {
    none: 'workspace_id tool object_name state input_hash created_at',
    erase: 'result',
    keys: 'intent_key',
    mentions: 'empty',
    left: 'delete',
    emptied: { result: 'app.without_words(t.result)' },
  },
  invitation: {
    none: `id workspace_id role token_hash created_at expires_at accepted_at revoked_at scopes inviter_key mailed member_id`,
    erase: 'email invited_by',
    facts: 'email invited_by',
    mentions: 'delete',
    left: 'delete',
  },
  lead: {
    none: `id workspace_id person_id created_at updated_at erased_at search company_id size_least size_most changed_tx
      enriched_at`,
    erase: `first_name last_name full_name headline title seniority company company_key company_domain industry
      company_size location country timezone profile_url profile_id email email_status phone custom_fields provenance`,
    facts: `first_name last_name full_name seniority company company_key company_domain industry company_size location
      country timezone profile_url profile_id email email_status phone`,
    person: 't.id = any (s.leads)',
  },
  lead_import: {
    none: `id workspace_id kind key_id status total created updated skipped suppressed excluded failed started_at finished_at
      input_hash parts_done touched_at`,
    erase: 'errors source_note said',
    keys: 'call_key',
  },
  lead_list: {
    none: `id workspace_id campaign_id type lead_count last_materialized_at created_at deleted_at max_leads
      materialized_tx purged_at`,
    erase: 'name description predicate filter',
  },
  lead_list_member: {
    none: 'workspace_id lead_list_id lead_id added_at',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  lead_match_key: {
    none: 'workspace_id lead_id',
    erase: 'key',
    facts: 'key',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  lead_overlay: {
    none: 'workspace_id lead_id last_contacted_at last_replied_at tags_tx',
    erase: 'tags notes',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  lead_score: {
    none: 'workspace_id campaign_id icp_id lead_id icp_score signal_score total computed_at',
    erase: 'reasons',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  lead_scrape_item: {
    none: 'job_id place workspace_id lead_id state',
    erase: 'profile_id asked',
    facts: 'profile_id asked',
    person: `t.lead_id = any (s.leads) or t.profile_id = any (s.profiles)`,
  },
  mail_report: {
    none: 'account_id external_id kind send_id at',
    erase: 'address reason',
    facts: 'address',
    person: 't.send_id = any (s.sends) or t.address = any (s.mails)',
    workspace: OWN_ACCOUNT,
  },
  mail_check: { none: 'account_id domain checked_at stand', workspace: OWN_ACCOUNT },
  mail_selector: { none: 'account_id domain selector one_click seen_at', workspace: OWN_ACCOUNT },
  mailbox_warmup: {
    none: `account_id state started_at daily_target daily_increment reply_rate weekdays_only first_level held_day held_why
      limit_before told_ready_of`,
    workspace: OWN_ACCOUNT,
  },
  mailbox: {
    none: `account_id smtp_host smtp_port smtp_tls imap_host imap_port imap_tls saves_sent sent_folder reach min_gap_ms
      pause_at_bounce_rate pause_at_complaint_rate min_sample pause_reason judged_since detected_timezone
      timezone_overridden`,
    erase: 'address username sealed signature',
    mentions: 'no',
    workspace: OWN_ACCOUNT,
  },
  // Whatever stands in it is gone within the hour; a part of a file names a person in no way that could be looked for.
  lead_upload: {
    none: `id workspace_id key_id user_id secret_hash state attempt bytes row_count encoding created_at expires_at
      touched_at`,
    left: 'delete',
  },
  lead_upload_part: {
    none: 'upload_id workspace_id attempt place',
    erase: 'body',
    mentions: 'no',
    left: 'delete',
  },
  mail_outbox: {
    none: `id idempotency_key kind workspace_id state attempts next_at holder lease_until created_at expires_at settled_at`,
    erase: 'recipient params sealed error',
    facts: 'recipient',
    mentions: 'delete',
    left: 'delete',
  },
  member: { none: 'id workspace_id user_id role joined_at last_seen_at scope_limit made_by_key', left: 'delete' },
  message: {
    none: `id conversation_id account_id external_id direction sent_at status via run_id reply_class noted_start`,
    erase: 'subject body attachments',
    person: 't.conversation_id = any (s.conversations)',
    workspace: OWN_ACCOUNT,
  },
  network_account: {
    none: `id provider external_id tier status status_since timezone business_hours ramp_enabled ramp_days ramp_start_share
      first_send_at health limits paused cooldown_until cooldown_reason last_action_at webhook_secret_hash created_at
      kind pacing ramp_again`,
    erase: 'display_name profile_url',
    mentions: 'no',
    workspace: 't.id = any (s.accounts)',
  },
  node_call: {
    none: `id workspace_id workflow_id campaign_id run_id node_id node_type lead_id once_key repeatable outward state
      epoch tries action credit_hold_id credits outcome ref sequence not_found claimed_at dispatched_at dispatched_real
      settled_at dead_letter_at dead_letter_state ended retry_at`,
    erase: 'result error',
    stays: `t.state <> 'settled'`,
    person: OF_RUN,
    workspace: '',
  },
  notification: {
    none: `id workspace_id user_id kind next_tool origin created_at read_at group_key events in_app routed_at mail_at
      mailed_at`,
    erase: 'title text data',
    person: `(t.data ->> 'leadId') = any (s.leads::text[])`,
    rows: 'delete',
    mentions: 'delete',
    left: 'delete',
  },
  notification_event: { none: 'workspace_id user_id seq told_at', left: 'delete' },
  notification_preference: { none: 'workspace_id user_id channels digest quiet_hours updated_at', left: 'delete' },
  oauth_state: {
    none: 'state_hash workspace_id integration_id key_id user_id expires_at',
    erase: 'sealed_verifier',
    mentions: 'no',
    left: 'delete',
  },
  open_send: { none: 'workspace_id send_id' },
  person: { none: 'id merged_into created_at scope' },
  person_alias: {
    none: 'kind person_id scope',
    hash: 'value',
    person: 't.person_id = any (s.persons)',
    workspace: '',
  },
  // That two are one stays known without what proved it.
  person_merge: {
    none: 'id scope from_person into_person merged_at undone_at',
    erase: 'evidence carried undone_by',
    facts: 'evidence carried undone_by',
    person: 't.from_person = any (s.persons) or t.into_person = any (s.persons)',
    workspace: '',
  },
  persona: {
    none: 'id workspace_id campaign_id created_at updated_at',
    erase: 'name description pain_points goals objections',
  },
  phase: {
    none: 'id workspace_id campaign_id phase_type position created_at updated_at',
    erase: 'name description objectives',
  },
  playbook: {
    none: 'workspace_id version source writer created_at',
    erase: 'text created_by',
    facts: 'created_by',
    left: 'delete',
  },
  pool_person: { none: 'lead_id scope person_id', workspace: '' },
  pool_member: { none: 'member pod_uid seen_at' },
  pool_seat: { none: 'workspace_id member seated_at', left: 'delete' },
  provider_list: {
    none: `id workspace_id integration_id external_id lead_list_id campaign_id on_duplicate keep_in_sync remove_from_list
      pass_job created_at`,
    erase: 'name mapping',
    left: 'delete',
  },
  provider_list_member: {
    none: 'provider_list_id workspace_id lead_id pass_id',
    erase: 'external_id',
    facts: 'external_id',
    person: OF_LEAD,
    rows: 'delete',
    mentions: 'no',
    left: 'delete',
  },
  relation: {
    none: 'account_id person_id state invitation_id requested_at connected_at',
    hash: 'provider_id profile_id',
    person: 't.person_id = any (s.persons)',
    workspace: '',
  },
  release_walk: { none: 'workspace_id waiting of_accounts at_flow at_lead settings_waiting settings_of' },
  request_count: { none: 'key_id started used' },
  resource_subscription: { none: 'session_hash uri seen created_at stream' },
  restore_guard: {
    none: 'only_row epoch system_identifier timeline checked_start outside accepted reconciled_at looks_wanted looks_done',
  },
  review_item: {
    none: `id workspace_id workflow_id campaign_id run_id lead_id account_id node_id send_node_id channel version
      risk_flags playbook_source state on_reject created_at expires_at decided_at conversation_id answers_at`,
    erase: 'subject body original_body facts reason decided_by',
    facts: 'decided_by',
    person: OF_RUN,
    workspace: '',
  },
  run: {
    none: `id workspace_id workflow_id campaign_id lead_id person_id graph_version node_id state wait_reason due_at
      entered_at account_id arms version send_id started_at ended_at`,
    erase: 'facts end_reason',
    person: 't.id = any (s.runs)',
    workspace: '',
    emptied: { facts: 't.facts - app.wordy_facts()', end_reason: 'app.own_end_reason(t.end_reason)' },
  },
  run_event: {
    none: 'workspace_id run_id seq at kind node_id actor',
    erase: 'text data',
    person: OF_RUN,
    workspace: '',
  },
  schedule: {
    none: `id workspace_id kind campaign_id cron timezone every_ms every_from once_at enabled next_for next_at
      created_at deleted_at version`,
    erase: 'name settings',
    left: 'delete',
  },
  scheduled_run: {
    none: `id schedule_id workspace_id scheduled_for state due_at epoch lease_until attempts cursor started_at
      finished_at`,
    erase: 'result error',
    left: 'delete',
  },
  scoring_job: {
    none: `id workspace_id campaign_id icp_id status total done after_lead pass_at holder lease_until failures
      created_at finished_at only_fading error`,
  },
  send: {
    none: `id workspace_id workflow_id campaign_id run_id node_id action_id lead_id person_id account_id action budgets send_key
      state epoch budget_date credit_hold_id claimed_at dispatched_at dispatched_real settled_at outcome provider_ref
      maybe lookups not_found lookup_after dead_letter_at dead_letter_state kept_units`,
    erase: 'body target error evidence',
    facts: 'target',
    stays: `t.state in ('dispatched', 'unknown') and not t.maybe`,
    person: 't.id = any (s.sends)',
    workspace: '',
    emptied: { evidence: 'app.evidence_without_texts(t.evidence)' },
  },
  send_freeze: {
    none: 'id scope target channel until since',
    erase: 'reason frozen_by',
    facts: 'frozen_by',
    knownBy: 'true',
    workspace: '',
  },
  send_key: { none: 'key person_id workspace_id send_id taken_at' },
  session_end: { none: 'session_hash ended_at' },
  signal: {
    none: `id workspace_id type lead_id company_id occurred_at detected_at expires_at confidence self_caused found_by
      end_told`,
    erase: 'title evidence natural_key',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  signal_agent: {
    none: `id workspace_id signal_types workflow_id network_account_id min_score daily_lead_limit daily_credit_limit
      playbook_version handle_replies since paused_at skipped_while_paused created_at updated_at`,
    erase: 'criteria playbook judge',
    left: 'delete',
  },
  signal_agent_day: { none: 'agent_id day workspace_id leads credits judgements', left: 'delete' },
  signal_agent_rules: { none: 'agent_id version workspace_id', erase: 'rules', left: 'delete' },
  signal_decision: {
    none: `agent_id signal_id subject_id workspace_id lead_id person_id scheduled_run_id run_id outcome score
      rules_version credits decided_at`,
    erase: 'reason facts',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  signal_company_watch: { none: 'workspace_id company_id looked_at headcount', left: 'delete' },
  signal_source: {
    none: 'id agent_id workspace_id kind company_id faults looked_at read_at created_at',
    // State holds hashes of the lines of a page.
    erase: 'url state fault',
    left: 'delete',
  },
  signal_source_item: { none: 'source_id item workspace_id last_seen_at', left: 'delete' },
  signal_watch: {
    none: 'workspace_id lead_id looked_at found_by',
    erase: 'title company',
    facts: 'title company',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  signal_verdict: {
    none: 'agent_id signal_id workspace_id asked match writer judged_at',
    // With their signal, which goes with its lead.
    erase: 'reason evidence',
    left: 'delete',
  },
  signal_person: { none: 'workspace_id person_id agent_id found_at found_before', left: 'delete' },
  signal_queue: {
    none: `id workspace_id signal_agent_id lead_id workflow_id signal_id enqueued_at settled_at settled_by outcome`,
    erase: 'rule',
    person: OF_LEAD,
    left: 'delete',
  },
  source_feed: { none: 'workspace_id workflow_id node_id feed_date fed next_at' },
  split_control: {
    none: `workspace_id workflow_id node_id mode metric weights min_exposures min_arm_share maturity_hours promoted
      learnt learnt_at since updated_at judged_at told_winner told_since`,
    erase: 'updated_by',
    facts: 'updated_by',
  },
  // Sealed under a key that only the client has; gone after two days.
  stream_event: { none: 'session_hash stream seq sealed last at' },
  suppression: {
    none: `id workspace_id agency_id campaign_id signal_agent_id level kind person_id applies_to source removable created_at
      expires_at`,
    erase: 'reason created_by',
    facts: 'created_by',
    hash: 'value',
    person: `t.kind in ('mail', 'profile', 'name_company')
      and (t.person_id = any (s.persons) or t.value = any (s.mails || s.profiles))`,
    mentions: 'cut',
  },
  timed_event: { none: 'workspace_id name at', left: 'delete' },
  unread_mail: { none: 'account_id validity uid received_at cause head_read at', workspace: '' },
  unsubscribe_token: { none: 'token_hash workspace_id person_id account_id created_at used_at' },
  watch: {
    none: `id workspace_id kind cadence finding_kinds lead_list_id monthly_credit_limit paused_until faults last_checked_at
      created_at updated_at`,
    erase: 'profile_url domain query search_url pause_reason state',
    left: 'delete',
  },
  // Authors and items are hashes with the watch in them.
  watch_finding: {
    none: 'id watch_id workspace_id kind item ref lead_id at found_at how author',
    erase: 'title url terms',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  watch_month: { none: 'watch_id month workspace_id credits', left: 'delete' },
  watch_seen: { none: 'watch_id stream item workspace_id last_seen_at', left: 'delete' },
  webhook_sequence: { none: 'workspace_id last' },
  workflow: {
    none: `id workspace_id campaign_id uid generation resource_version enabled graph_version node_count
      network_account_ids provider_account_ids in_flight created_at updated_at deleted_at object_created_at purged_at
      purged_to deleted_enabled last_deleted_at deleted_with_parent`,
    erase: 'name graph_problem reconcile',
    emptied: { reconcile: `t.reconcile - 'message'` },
  },
  workflow_graph: {
    none: 'workspace_id workflow_id version node_types_version created_at',
    erase: 'graph',
    emptied: { graph: 'app.graph_without_configs(t.graph)' },
  },
  workspace: {
    none: `id uid generation resource_version owner_user_id agency_id plan timezone operating_mode business_hours
      executor limits created_at updated_at deleted_at object_created_at purged_at erase_at`,
    erase: 'name settings reconcile deletion',
    facts: 'name',
    workspace: 't.id = s.workspace_id',
    emptied: {
      settings: `t.settings - array['website', 'senderPostalAddress']`,
      reconcile: `t.reconcile - 'message'`,
      deletion: `t.deletion - array['reason', 'by']`,
    },
  },
  workspace_wake: { none: 'workspace_id due_at reason woken_at' },
};
