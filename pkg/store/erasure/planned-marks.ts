import type { TableMarks } from './table-marks.ts';

const OF_LEAD = 't.lead_id = any (s.leads)';

/** Of what is planned for a day and a time: calendars and posts. */
export const PLANNED_MARKS: Readonly<Record<string, TableMarks>> = {
  calendar_account: {
    none: `id workspace_id timezone start_hour end_hour status created_at deleted_at is_default detected_timezone
      timezone_overridden buffer_before buffer_after provider server_invites identity`,
    erase: 'email url sealed calendar_id',
    facts: 'email url calendar_id',
  },
  calendar_change: {
    none: `id workspace_id account_id kind event_id state due_at tries failing_since outcome html_link created_at
      ended_at`,
    erase: 'wish plan error made_by',
    facts: 'made_by',
    left: 'delete',
  },
  calendar_lane: { none: 'key holder until', workspace: '' },
  calendar_sync: {
    none: 'calendar_id workspace_id token due_at holder lease_until failures',
    left: 'delete',
  },
  calendar_hold: {
    none: 'calendar_id holder start_at end_at workspace_id lead_id expires_at',
    person: OF_LEAD,
    rows: 'delete',
    left: 'delete',
  },
  content_chunk: { none: 'medium_id workspace_id place data', left: 'delete' },
  content_engager: { none: 'post_id workspace_id seen_at', erase: 'provider_id', mentions: 'no', left: 'delete' },
  content_mark: {
    none: 'id workspace_id post_id at kind',
    erase: 'actor text data',
    facts: 'actor',
    left: 'delete',
  },
  content_medium: {
    none: 'id workspace_id post_id place state mime bytes sha256 width height fetched_at gone_at stored',
    erase: 'url alt error',
    left: 'delete',
  },
  content_post: {
    none: `id workspace_id campaign_id account_id state scheduled_at local_at timezone version approved approved_version
      approved_media submitted_at decided_at decided_by_user reviewers authors action_id comment_action_id social_id
      external_url published_at verified_at comment_published_at created_at updated_at`,
    erase: 'text first_comment reason failure decided_by made_by',
    facts: 'decided_by made_by',
    left: 'delete',
  },
  content_sample: { none: 'post_id workspace_id at impressions reactions comments reposts', left: 'delete' },
};
