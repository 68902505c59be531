import { folded, kind, kindOfLeads, kindOfMembers, type SearchKind } from './search-kind.ts';

/** What names an ICP. */
const CRITERIA = `array_to_string(i.titles || i.industries || i.keywords, ', ')`;

/** What campaigns are made of, and what happens to their leads. */
export const WORK_KINDS: readonly SearchKind[] = [
  kind(
    'persona',
    'svc_get_persona',
    `select p.id::text as id, p.name as title, left(p.description, 200) as snippet
     from persona p
     join campaign c on c.id = p.campaign_id and c.deleted_at is null
     where p.workspace_id = $1
       and (${folded('p.name')} ilike $2 or ${folded('p.description')} ilike $2 or p.id::text = $3)
       and ($4::text is null or p.id > $4::uuid)
     order by p.id limit $5`,
  ),
  kind(
    'phase',
    'svc_get_phase',
    `select p.id::text as id, p.name as title,
       concat_ws(', ', p.phase_type, nullif(left(p.description, 200), '')) as snippet
     from phase p
     join campaign c on c.id = p.campaign_id and c.deleted_at is null
     where p.workspace_id = $1
       and (${folded('p.name')} ilike $2 or ${folded('p.description')} ilike $2 or p.id::text = $3)
       and ($4::text is null or p.id > $4::uuid)
     order by p.id limit $5`,
  ),
  kind(
    'icp',
    'svc_list_icps',
    `select
       i.id::text as id,
       ${CRITERIA} as title,
       'of campaign ' || c.title as snippet
     from icp i
     join campaign c on c.id = i.campaign_id and c.deleted_at is null
     where i.workspace_id = $1
       and i.deleted_at is null
       and (${folded(CRITERIA)} ilike $2 or i.id::text = $3)
       and ($4::text is null or i.id > $4::uuid)
     order by i.id limit $5`,
  ),
  kind(
    'automation',
    'svc_get_automation_jobs',
    `select s.id::text as id, s.name as title, concat_ws(' ', s.kind, 'at', s.cron, s.timezone) as snippet
     from schedule s
     join campaign c on c.id = s.campaign_id and c.deleted_at is null
     where s.workspace_id = $1
       and s.deleted_at is null
       and s.kind <> 'signal_agent'
       and (${folded('s.name')} ilike $2 or s.id::text = $3)
       and ($4::text is null or s.id > $4::uuid)
     order by s.id limit $5`,
  ),
  kindOfLeads(
    'workflow_run',
    'svc_get_workflow_run',
    `select r.id::text as id, coalesce(nullif(l.full_name, ''), 'a lead') as title,
       concat_ws(' ', r.state, 'in', (select w.name from workflow w where w.id = r.workflow_id)) as snippet
     from run r
     left join lead l on l.id = r.lead_id and l.erased_at is null
     where r.workspace_id = $1
       and (r.lead_id = any ($6::uuid[]) or $2 <> '' and r.id = ${asUuid('$3')})
       and ($4::text is null or r.id > $4::uuid)
     order by r.id limit $5`,
  ),
  kindOfLeads(
    'review_item',
    'svc_get_review_item',
    `select i.id::text as id, coalesce(nullif(l.full_name, ''), 'a lead') as title, left(i.body, 200) as snippet
     from review_item i
     left join lead l on l.id = i.lead_id and l.erased_at is null
     where i.workspace_id = $1
       and (
         i.run_id in (select r.id from run r where r.workspace_id = $1 and r.lead_id = any ($6::uuid[]))
         or $2 <> '' and i.id = ${asUuid('$3')}
       )
       and ($4::text is null or i.id > $4::uuid)
     order by i.id limit $5`,
  ),
  kindOfLeads(
    'signal',
    'svc_get_signal',
    `select s.id::text as id, s.title,
       concat_ws(' ', s.type, 'of', nullif(coalesce(l.full_name, k.name), '')) as snippet
     from signal s
     left join lead l on l.id = s.lead_id and l.erased_at is null
     left join company k on k.id = s.company_id
     where (s.workspace_id is null or s.workspace_id = $1)
       and (s.lead_id = any ($6::uuid[]) or $2 <> '' and s.id = ${asUuid('$3')})
       and ($4::text is null or s.id > $4::uuid)
     order by s.id limit $5`,
  ),
];

/** What looks for people by itself. */
export const AGENT_KINDS: readonly SearchKind[] = [
  kind(
    'signal_agent',
    'svc_get_signal_agent',
    `select a.id::text as id, s.name as title,
       concat_ws(' ', case when s.enabled then 'active' else 'paused' end, array_to_string(a.signal_types, ', '))
         as snippet
     from signal_agent a
     join schedule s on s.id = a.id and s.deleted_at is null
     where a.workspace_id = $1
       and (${folded('s.name')} ilike $2 or a.id = ${asUuid('$3')})
       and ($4::text is null or a.id > $4::uuid)
     order by a.id limit $5`,
  ),
  kind(
    'competitor_watch',
    'svc_get_competitor_watch',
    `select a.id::text as id, s.name as title,
       concat_ws(' ', a.cadence, array_to_string(a.finding_kinds, ', ')) as snippet
     from watch a
     join schedule s on s.id = a.id and s.deleted_at is null
     where a.workspace_id = $1
       and a.kind = 'competitor'
       and (${folded('s.name')} ilike $2 or a.domain ilike $2 or a.id = ${asUuid('$3')})
       and ($4::text is null or a.id > $4::uuid)
     order by a.id limit $5`,
  ),
];

/** What the workspace publishes. */
export const CONTENT_KINDS: readonly SearchKind[] = [
  kind(
    'content_post',
    'svc_get_content_post',
    `select p.id::text as id, left(split_part(p.text, E'\\n', 1), 80) as title,
       concat_ws(', ', p.state, left(p.text, 200)) as snippet
     from content_post p
     where p.workspace_id = $1
       and (${folded('p.text')} ilike $2 or p.id = ${asUuid('$3')})
       and ($4::text is null or p.id > $4::uuid)
     order by p.id limit $5`,
  ),
];

/** The text as an id, where it has the form of one. */
function asUuid(text: string): string {
  return `case when ${text} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${text}::uuid end`;
}

/** Of notifications the newest are looked through. */
const MOST_NOTIFICATIONS = 2_000;

/** Who works here with what. */
export const OFFICE_KINDS: readonly SearchKind[] = [
  kind(
    'network_account',
    'svc_get_network_account',
    `select a.id, coalesce(nullif(a.display_name, ''), a.id) as title, concat_ws(', ', a.tier, a.status) as snippet
     from network_account a
     where a.kind = 'network'
       and a.id in (select account_id from account_link where workspace_id = $1)
       and (${folded('a.display_name')} ilike $2 or a.profile_url ilike $2 or a.id = $3)
       and ($4::text is null or a.id > $4)
     order by a.id limit $5`,
  ),
  kind(
    'import',
    'svc_get_import_progress',
    `select id::text as id, kind || ' import' as title, concat_ws(' ', status, 'with', total, 'rows') as snippet
     from lead_import
     where workspace_id = $1
       and $2 <> ''
       and id = ${asUuid('$3')}
       and ($4::text is null or id > $4::uuid)
     order by id limit $5`,
  ),
  kind(
    'member',
    'svc_list_members',
    `select m.id::text as id, coalesce(nullif(u.name, ''), u.email) as title,
       concat_ws(', ', m.role, u.email) as snippet
     from member m
     join app_user u on u.id = m.user_id
     where m.workspace_id = $1
       and (${folded('u.name')} ilike $2 or u.email ilike $2 or m.id::text = $3)
       and ($4::text is null or m.id > $4::uuid)
     order by m.id limit $5`,
  ),
  kind(
    'invitation',
    'svc_list_invitations',
    `select id::text as id, email as title, 'invited as ' || role as snippet
     from invitation
     where workspace_id = $1
       and accepted_at is null
       and revoked_at is null
       and (email ilike $2 or id::text = $3)
       and ($4::text is null or id > $4::uuid)
     order by id limit $5`,
  ),
  kind(
    'api_key',
    'svc_list_api_keys',
    `select id::text as id, name as title, key_prefix as snippet
     from api_key
     where workspace_id = $1
       and user_id is null
       and revoked_at is null
       and (${folded('name')} ilike $2 or key_prefix = $3 or id::text = $3)
       and ($4::text is null or id > $4::uuid)
     order by id limit $5`,
  ),
  kindOfMembers(
    'notification',
    'svc_list_notifications',
    `select n.id::text as id, n.title, left(n.text, 200) as snippet
     from (
       select *
       from notification
       where workspace_id = $1 and ($6::uuid is null or user_id = $6) and kind = any ($7) and in_app
       order by created_at desc, id desc limit ${MOST_NOTIFICATIONS}
     ) n
     where (${folded('n.title')} ilike $2 or ${folded('n.text')} ilike $2 or n.id::text = $3)
       and ($4::text is null or n.id > $4::uuid)
     order by n.id limit $5`,
  ),
];
