import { z } from 'zod';
import { type BusinessHours, DEFAULT_BUSINESS_HOURS, TIMEZONE_MODES } from '../domain/business-hours.ts';
import { DEFAULT_REVIEW_MODE, SCORE_MIN } from '../domain/campaign-defaults.ts';
import { CONTACT_POLICY } from '../domain/contact-policy.ts';
import { REVIEW_EXPIRES_AFTER_HOURS } from '../domain/review-expiry.ts';
import { REVIEW_MODES } from '../domain/vocabulary.ts';
import type { FlowRow, WorkspaceRow } from '../store/runs/batch-facts.ts';

const hours = z.object({
  timezoneMode: z.enum(TIMEZONE_MODES).default(DEFAULT_BUSINESS_HOURS.timezoneMode),
  timezone: z.string().optional(),
  days: z.array(z.number()).default(() => [...DEFAULT_BUSINESS_HOURS.days]),
  startHour: z.number().default(DEFAULT_BUSINESS_HOURS.startHour),
  endHour: z.number().default(DEFAULT_BUSINESS_HOURS.endHour),
  holidayCountry: z.string().optional(),
});
const campaign = z.object({
  scoreMin: z.number().nullish(),
  reviewMode: z.enum(REVIEW_MODES).nullish(),
  reviewExpiresAfterHours: z.number().nullish().catch(null),
  businessHours: hours.nullish().catch(null),
  contactPolicy: z.object({ stopOnReply: z.boolean().nullish() }).nullish().catch(null),
});

/** What the engine reads of a campaign's settings, with the catalog's defaults. */
export interface FlowSettings {
  scoreMin: number;
  reviewMode: (typeof REVIEW_MODES)[number];
  /** 0: drafts wait until a person decides. */
  reviewExpiresAfterHours: number;
  businessHours: BusinessHours;
  stopOnReply: boolean;
}

/** Settings of rows that a batch has read; each of its runs asks. */
const known = new WeakMap<FlowRow, { workspace: WorkspaceRow; settings: FlowSettings }>();

/** Settings in force for a workflow: the campaign's, else the workspace's, else the defaults. */
export function flowSettings(flow: FlowRow, workspace: WorkspaceRow): FlowSettings {
  const found = known.get(flow);
  if (found?.workspace === workspace) return found.settings;
  const settings = readSettings(flow, workspace);
  known.set(flow, { workspace, settings });
  return settings;
}

function readSettings(flow: FlowRow, workspace: WorkspaceRow): FlowSettings {
  const parsed = campaign.safeParse(flow.settings);
  const own = parsed.success ? parsed.data : {};
  return {
    scoreMin: own.scoreMin ?? SCORE_MIN,
    reviewMode: own.reviewMode ?? DEFAULT_REVIEW_MODE,
    reviewExpiresAfterHours: own.reviewExpiresAfterHours ?? REVIEW_EXPIRES_AFTER_HOURS,
    businessHours: hoursOf(own.businessHours) ?? hoursOf(workspace.businessHours) ?? DEFAULT_BUSINESS_HOURS,
    stopOnReply: own.contactPolicy?.stopOnReply ?? CONTACT_POLICY.stopOnReply,
  };
}

/** Hours that a draft of a campaign waits for a person; 0: until one decides. @param settings of the campaign, as stored */
export function reviewHours(settings: object): number {
  const parsed = campaign.safeParse(settings);
  return (parsed.success ? parsed.data.reviewExpiresAfterHours : null) ?? REVIEW_EXPIRES_AFTER_HOURS;
}

/** Most accounts share a few hours. */
const MAX_HOURS = 200;
const knownHours = new Map<string, BusinessHours | null>();

/** Stored hours with defaults filled in, or null when there are none; not to be changed. */
export function hoursOf(stored: unknown): BusinessHours | null {
  if (!stored) return null;
  const text = JSON.stringify(stored);
  const found = knownHours.get(text);
  if (found !== undefined) return found;
  const parsed = hours.safeParse(stored);
  const read = parsed.success ? parsed.data : null;
  if (knownHours.size >= MAX_HOURS) knownHours.clear();
  knownHours.set(text, read);
  return read;
}
