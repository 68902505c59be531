import type { Input, Output } from '../../api/call.ts';
import { type Hours, hoursOf } from './hours.ts';

type Workspace = Output<'svc_get_workspace'>['workspace'];
type Change = Omit<Input<'svc_update_workspace'>, 'workspaceId'>;

/** Settings as a form holds them. */
export interface Draft {
  name: string;
  timezone: string;
  website: string;
  defaultReviewMode: NonNullable<Change['defaultReviewMode']>;
  contentApprovalRequired: boolean;
  shareSuppressionWithAgency: boolean;
  retentionDays: string;
  senderPostalAddress: string;
  businessHours: Hours;
}

export function draftOf({ name, timezone, settings }: Workspace): Draft {
  return {
    name,
    timezone,
    website: settings.website ?? '',
    defaultReviewMode: settings.defaultReviewMode as Draft['defaultReviewMode'],
    contentApprovalRequired: settings.contentApprovalRequired,
    shareSuppressionWithAgency: settings.shareSuppressionWithAgency,
    retentionDays: settings.retentionDays === null ? '' : String(settings.retentionDays),
    senderPostalAddress: settings.senderPostalAddress ?? '',
    businessHours: hoursOf(settings.businessHours),
  };
}

/** What was changed, as the tool takes it. */
export function changeOf(before: Draft, now: Draft): Change {
  const change: Change = {};
  if (now.name.trim() !== before.name && now.name.trim() !== '') change.name = now.name.trim();
  if (now.timezone.trim() !== before.timezone) change.timezone = now.timezone.trim();
  // The tool takes an address or nothing.
  if (now.website.trim() !== before.website && now.website.trim() !== '') change.website = now.website.trim();
  if (now.defaultReviewMode !== before.defaultReviewMode) change.defaultReviewMode = now.defaultReviewMode;
  if (now.contentApprovalRequired !== before.contentApprovalRequired)
    change.contentApprovalRequired = now.contentApprovalRequired;
  if (now.shareSuppressionWithAgency !== before.shareSuppressionWithAgency)
    change.shareSuppressionWithAgency = now.shareSuppressionWithAgency;
  if (now.retentionDays !== before.retentionDays && now.retentionDays !== '')
    change.retentionDays = Number(now.retentionDays);
  if (now.senderPostalAddress !== before.senderPostalAddress) change.senderPostalAddress = now.senderPostalAddress;
  const hours = changedHours(before.businessHours, now.businessHours);
  if (hours) change.businessHours = hours;
  return change;
}

function changedHours(before: Hours, now: Hours): Change['businessHours'] {
  if (JSON.stringify(before) === JSON.stringify(now)) return undefined;
  const { timezone, holidayCountry, ...rest } = now;
  return {
    ...rest,
    ...(timezone === '' ? {} : { timezone }),
    ...(holidayCountry === '' ? {} : { holidayCountry }),
  };
}
